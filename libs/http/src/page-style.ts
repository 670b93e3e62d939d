/** The one style sheet of the pages without scripts. Light and dark follow the reader's system. */
export const pageStyle = `
:root{color-scheme:light dark;--bg:#fbfaf8;--fg:#1c1b1a;--dim:#6b6863;--line:#e3e0da;--soft:#f3f1ec;--accent:#0b62a8;--bad:#b3261e;--ok:#1e7a4c}
@media(prefers-color-scheme:dark){:root{--bg:#121211;--fg:#e4e2dd;--dim:#9a968e;--line:#2c2b28;--soft:#1b1a18;--accent:#7db8e8;--bad:#f2877d;--ok:#7cc79b}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--fg);font:14px/1.4 Inter,system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;-webkit-text-size-adjust:100%}
main.note{max-width:40rem;margin:0 auto;padding:64px 16px}
h1{font-size:20px;line-height:1.4;font-weight:600;margin:0 0 8px}
p{margin:0 0 8px}
a{color:var(--accent);text-decoration:none}
a:hover{text-decoration:underline}
`;
