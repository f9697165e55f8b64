package op

// bert are the subgraphs of BERT-base for a sequence of 128: 12 layers of 12
// heads. The scale of the scores is folded into the weights of the queries;
// embeddings, which are looked up, are left out but for their sums.
var bert = []Entry{
	{"embedding-sum", "elementwise:fn=add,shape=128x768", 2},
	{"query-key-value", "dense:m=128,n=768,k=768,epilogue=bias", 36},
	{"scores", "batch_matmul:b=12,m=128,n=128,k=64,tb=1", 12},
	{"mask", "elementwise:fn=add,shape=12x128x128,y=1x128", 12},
	{"softmax", "softmax:m=1536,n=128", 12},
	{"context", "batch_matmul:b=12,m=128,n=64,k=128", 12},
	{"attention-output", "dense:m=128,n=768,k=768,epilogue=bias+add", 12},
	{"layernorm", "layernorm:m=128,n=768", 25},
	{"intermediate", "dense:m=128,n=3072,k=768,epilogue=bias+gelu", 12},
	{"output", "dense:m=128,n=768,k=3072,epilogue=bias+add", 12},
	{"pooler", "dense:m=1,n=768,k=768,epilogue=bias", 1},
	{"pooler-tanh", "elementwise:fn=tanh,shape=1x768", 1},
}
