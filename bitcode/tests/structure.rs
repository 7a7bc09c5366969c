mod compile;
use compile::*;
#[test]
fn look() {
    let m = compile(
        "struct p{int a; long b; char c[3];}; struct p g={1,2,\"ab\"}; extern int q; int *gp=&q; static const char*names[]={\"x\",\"yy\",0}; int f(int x,int y){ struct p z=g; if(x<y) return z.a+names[x][0]; for(int i=0;i<y;i++){int t=x;x=y+i;y=t;} switch(x){case 1:return 3;case 5: return 9; default: return (int)(x*1.5);} } int v(const char*f,...){__builtin_va_list l;__builtin_va_start(l,f);int r=__builtin_va_arg(l,int);__builtin_va_end(l);return r;} int call(void){ return v(\"a\",1,2.0,3.0L,(__int128)5);}",
        &["-O0"],
    );
    for f in &m.functions {
        println!("{}", symx_ir::listing(f));
    }
    println!("{:?}\n{:?}", m.globals, m.symbols);
    println!("{:?}", m.scopes);
    println!("{:?}", m.files);
}
