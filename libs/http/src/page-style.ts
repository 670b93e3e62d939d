const dark = '--bg:#121211;--fg:#e4e2dd;--dim:#98948c;--line:#2c2b28;--soft:#1b1a18;--accent:#7db8e8;--bad:#f2877d;--good:#7cc79b';

/**
 * The style sheet for pages without scripts. Light and dark follow the reader's choice, otherwise
 * the system setting. Spaces are multiples of 4 px; sizes 12, 13, 14, 20.
 */
export const pageStyle = `
:root{color-scheme:light dark;--bg:#fbfaf8;--fg:#1c1b1a;--dim:#6b6863;--line:#e3e0da;--soft:#f3f1ec;--accent:#0b5c9e;--bad:#b3261e;--good:#1e7a4c}
@media(prefers-color-scheme:dark){:root:not([data-theme=light]){${dark}}}
:root[data-theme=dark]{color-scheme:dark;${dark}}
:root[data-theme=light]{color-scheme:light}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--fg);font:14px/1.4 Inter,system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif;-webkit-text-size-adjust:100%;text-size-adjust:100%}
a{color:var(--accent);text-decoration:none}
a:hover,p a{text-decoration:underline}
.bar{display:flex;flex-wrap:wrap;gap:0 16px;align-items:center;min-height:40px;padding:4px 16px;border-bottom:1px solid var(--line);font-size:13px}
.bar a{padding:4px 0}
.mark{font-weight:600;color:var(--fg)}
.end{margin-left:auto}
.dim{color:var(--dim)}
.bad{color:var(--bad)}
.good{color:var(--good)}
main{max-width:1200px;padding:24px 16px}
main.note{max-width:40rem;margin:0 auto;padding:64px 24px}
h1{font-size:20px;line-height:1.4;font-weight:600;margin:0 0 8px;overflow-wrap:anywhere}
h2{font-size:14px;font-weight:600;margin:32px 0 8px}
p{margin:0 0 8px;max-width:72ch;overflow-wrap:anywhere}
.about{white-space:pre-line}
.facts{display:flex;flex-wrap:wrap;gap:4px 16px;color:var(--dim);font-size:13px;max-width:none}
.label{padding:0 8px;border:1px solid var(--line);border-radius:6px}
.state{font-size:13px;margin:8px 0 0}
.scroll{overflow-x:auto;margin:0 -16px;padding:0 16px}
table{border-collapse:collapse;min-width:100%;font-size:13px;font-variant-numeric:tabular-nums}
th{text-align:left;font-weight:500;font-size:12px;color:var(--dim);padding:4px 16px 4px 0;white-space:nowrap;border-bottom:1px solid var(--line)}
td{padding:4px 16px 4px 0;vertical-align:top;border-bottom:1px solid var(--line);white-space:nowrap}
th:last-child,td:last-child{padding-right:0}
td.name{white-space:normal;overflow-wrap:anywhere;min-width:12rem;font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;font-size:12px;line-height:1.5}
td.title{white-space:normal;overflow-wrap:anywhere;min-width:8rem}
.number{text-align:right}
.hparams{font:12px/1.5 Inter,system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif}
.hparams>span{display:inline-block;margin-right:12px}
.button,button{display:inline-block;padding:8px 16px;border:1px solid var(--line);border-radius:6px;background:var(--soft);color:var(--fg);font:inherit;cursor:pointer}
.button,button.primary{border-color:var(--accent);background:var(--accent);color:var(--bg)}
button.small{padding:0 8px;font-size:12px}
input{padding:8px 12px;border:1px solid var(--dim);border-radius:6px;background:var(--bg);color:var(--fg);font:inherit}
.row{display:flex;flex-wrap:wrap;gap:8px}
.after{margin-top:16px}
.code{font:20px/1.4 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;letter-spacing:.05em}
input.code{width:12rem;text-transform:uppercase}
.command{margin:0 0 8px;padding:8px 12px;background:var(--soft);border:1px solid var(--line);border-radius:6px;white-space:pre-wrap;overflow-wrap:anywhere;font:12px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;user-select:all}
@media(max-width:600px){.wide{display:none}.me{margin-left:auto}td.name{min-width:8rem}.bar{padding:4px 16px}main{padding:16px}main.note{padding:48px 16px}}
`;
