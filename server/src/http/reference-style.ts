export const style = `
:root{color-scheme:light dark;--ink:#1c2024;--soft:#60646c;--line:#e4e6ea;--page:#fff;--side:#f8f9fa;--accent:#0b6e5f;--code:#f1f3f5}
@media(prefers-color-scheme:dark){:root{--ink:#edeef0;--soft:#9ba1a8;--line:#2b2f36;--page:#101215;--side:#15181c;--accent:#4fd1b5;--code:#1d2126}}
*{box-sizing:border-box}
body{margin:0;display:grid;grid-template-columns:19rem minmax(0,1fr);font:15px/1.6 ui-sans-serif,system-ui,sans-serif;color:var(--ink);background:var(--page)}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1.5rem 1rem;background:var(--side);border-right:1px solid var(--line)}
.brand{font-weight:650;letter-spacing:-.01em;margin:0 0 1rem .5rem;font-size:1.05rem}
nav h2{font-size:.72rem;text-transform:uppercase;letter-spacing:.08em;color:var(--soft);margin:1.25rem .5rem .35rem}
nav ul{list-style:none;margin:0;padding:0}
nav a{display:flex;gap:.35rem;padding:.22rem .5rem;border-radius:6px;color:inherit;text-decoration:none;font-size:.8rem;overflow-wrap:anywhere}
nav a:hover,nav a:focus-visible{background:var(--code)}
main{padding:2.5rem clamp(1rem,4vw,4rem);max-width:64rem}
h1{font-size:1.9rem;letter-spacing:-.02em;margin:0 0 .5rem}
.lead{color:var(--soft);max-width:44rem}
a{color:var(--accent)}
section{padding:2rem 0;border-top:1px solid var(--line);scroll-margin-top:1rem}
h3{margin:0 0 .35rem;font-size:1.2rem;letter-spacing:-.01em}
h4{font-size:.78rem;text-transform:uppercase;letter-spacing:.06em;color:var(--soft);margin:1.25rem 0 .4rem}
code{font:.86em/1.5 ui-monospace,SFMono-Regular,Menlo,monospace;background:var(--code);padding:.1em .35em;border-radius:4px;overflow-wrap:anywhere}
.path{display:flex;flex-wrap:wrap;gap:.6rem;align-items:baseline;margin:0}
.access{color:var(--soft);font-size:.84rem}
.method{font:600 .68rem/1.9 ui-monospace,monospace;text-transform:uppercase;min-width:3.2rem;color:var(--accent)}
.delete,.delete .method{color:#c2410c}
.scroll{overflow-x:auto}
table + .refusal,.scroll + .refusal{margin-top:1rem}
table{border-collapse:collapse;width:100%;font-size:.9rem}
th,td{text-align:left;vertical-align:top;padding:.4rem .9rem .4rem 0;border-bottom:1px solid var(--line);font-weight:400}
th{white-space:nowrap;width:14rem}
th code{background:none;padding:0}
abbr{color:#c2410c;text-decoration:none;margin-left:.15rem}
.type{color:var(--soft);width:16rem;min-width:9rem}
.refusal{margin:.2rem 0 .2rem;font-size:.88rem;color:var(--soft)}
.status{display:inline-block;min-width:2.6rem;font-variant-numeric:tabular-nums;color:var(--ink)}
@media(max-width:52rem){body{display:block}nav{position:static;height:auto;border-right:0;border-bottom:1px solid var(--line)}}
`
