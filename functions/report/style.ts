/** The report's look. Colours are told apart by people who see few of them, in light and in dark, and in print. */
export const STYLE = `
:root { color-scheme: light dark; --ink: #1b1f24; --dim: #57606a; --line: #d0d7de; --paper: #ffffff; --card: #f6f8fa;
  --people: #9ecae9; --waiting: #c8102e; --nodes: #1b1f24; --wanted: #b35c00; --warm: #00786c; --event: #fff1c2; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --dim: #9da7b1; --line: #3d444d; --paper: #0d1117;
  --card: #161b22; --people: #2f6690; --waiting: #ff6b6b; --nodes: #e6edf3; --wanted: #ffb454; --warm: #4fd1c5;
  --event: #3a3213; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 62rem; color: var(--ink); background: var(--paper);
  font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; } h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; }
p.sub { color: var(--dim); margin: 0 0 1rem; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .75rem; margin: 1rem 0; padding: 0; }
.cards > div { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .6rem .8rem; }
.cards dt { color: var(--dim); font-size: .85rem; } .cards dd { margin: 0; font-size: 1.4rem; font-weight: 600; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .3rem .6rem; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; } td.words { white-space: normal; text-align: left; min-width: 16rem; }
.chart { display: block; width: 100%; height: auto; } .scroll > .chart { min-width: 40rem; }
.chart text { fill: var(--dim); font-size: 12px; } .chart text.label { fill: var(--ink); font-size: 14px; }
.grid line { stroke: var(--line); } .event { fill: var(--event); }
.series { fill: none; stroke-width: 2; } .usersIn { fill: var(--people); stroke: none; }
.waiting { fill: var(--waiting); stroke: none; } .nodes { stroke: var(--nodes); }
.wanted { stroke: var(--wanted); stroke-dasharray: 6 3; } .warmSpares { stroke: var(--warm); }
.mark { fill: var(--wanted); stroke: var(--paper); } .mark:focus { outline: 2px solid var(--ink); r: 6px; }
.legend { list-style: none; padding: 0; margin: .25rem 0; display: flex; flex-wrap: wrap; gap: .25rem 1rem; color: var(--dim); }
.swatch { display: inline-block; width: .9rem; height: .9rem; border-radius: .15rem; vertical-align: -.1rem; border: 1px solid var(--line); }
.swatch.s-usersIn { background: var(--people); } .swatch.s-waiting { background: var(--waiting); }
.swatch.s-nodes { background: var(--nodes); } .swatch.s-wanted { background: var(--wanted); }
.swatch.s-warmSpares { background: var(--warm); } .swatch.s-event { background: var(--event); }
.w0 { fill: #d9f0e3; background: #d9f0e3; } .w1 { fill: #8fd0b0; background: #8fd0b0; } .w2 { fill: #fee391; background: #fee391; }
.w3 { fill: #fe9929; background: #fe9929; } .w4 { fill: #cc4c02; background: #cc4c02; } .w5 { fill: #7a1f00; background: #7a1f00; }
.wait { stroke: var(--paper); } summary { cursor: pointer; padding: .3rem 0; } li { margin: .2rem 0; }
a:focus-visible, summary:focus-visible, .scroll:focus-visible { outline: 2px solid var(--ink); }
@media print { body { max-width: none; font-size: 11pt; } details, .scroll { break-inside: avoid; overflow: visible; }
  .event { fill: #eee; } }
`;
