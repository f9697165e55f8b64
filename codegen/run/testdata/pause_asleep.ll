
; test_pause sleeps. A signal, such as one of Go's scheduler, cuts a sleep short.
declare i32 @nanosleep(ptr, ptr)
define void @test_pause(i64 %nanoseconds) {
entry:
  %rest = alloca [2 x i64]
  %second = getelementptr i64, ptr %rest, i64 1
  %whole = sdiv i64 %nanoseconds, 1000000000
  %part = srem i64 %nanoseconds, 1000000000
  store i64 %whole, ptr %rest
  store i64 %part, ptr %second
  br label %sleep
sleep:
  %cut = call i32 @nanosleep(ptr %rest, ptr %rest)
  %again = icmp ne i32 %cut, 0
  br i1 %again, label %sleep, label %out
out:
  ret void
}
