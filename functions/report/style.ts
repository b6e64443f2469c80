/**
 * The report's look. Colours are told apart by people who see few of them: they differ in lightness too, and lines in
 * their dashes. Light, dark, and on paper, where dark would cost ink.
 */
const LIGHT = `--ink: #1b1f24; --dim: #57606a; --line: #d0d7de; --paper: #ffffff; --card: #f6f8fa;
  --people: #9ecae9; --waiting: #c8102e; --nodes: #1b1f24; --wanted: #b35c00; --warm: #00786c; --event: #fff1c2;
  --used: #3d7ab5; --idle: #d3dde8; --bound: #57606a;`;
const DARK = `--ink: #e6edf3; --dim: #9da7b1; --line: #3d444d; --paper: #0d1117; --card: #161b22;
  --people: #2f6690; --waiting: #ff6b6b; --nodes: #e6edf3; --wanted: #ffb454; --warm: #4fd1c5; --event: #3a3213;
  --used: #4b8fd0; --idle: #3b4652; --bound: #9da7b1;`;

export const STYLE = `
:root { color-scheme: light dark; ${LIGHT} }
@media screen and (prefers-color-scheme: dark) { :root { ${DARK} } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 62rem; color: var(--ink); background: var(--paper);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; } h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; }
p.sub { color: var(--dim); margin: 0 0 1rem; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: .75rem; margin: 1rem 0; padding: 0; }
.cards > div { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .6rem .8rem;
  display: flex; flex-direction: column; justify-content: space-between; }
.cards dt { color: var(--dim); font-size: .85rem; line-height: 1.3; } .cards dd { margin: 0; font-size: 1.4rem; font-weight: 600; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .3rem .6rem; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
th.words, td.words { white-space: normal; text-align: left; min-width: 16rem; }
.chart { display: block; width: 100%; height: auto; min-width: 48rem; }
.bars { display: block; overflow: visible; }
.chart text, .bars text { fill: var(--dim); font-size: 12px; } .bars text { font-size: 13px; }
.bars text.label, .chart text.band { fill: var(--ink); } .bars text.label { font-size: 14px; }
.chart text.band { paint-order: stroke; stroke: var(--event); stroke-width: 3px; stroke-linejoin: round; }
.grid line, .axis line { stroke: var(--line); } .event { fill: var(--event); }
.series { fill: none; stroke-width: 2; } .usersIn { fill: var(--people); } .waiting { fill: var(--waiting); }
.nodes { stroke: var(--nodes); } .wanted { stroke: var(--wanted); stroke-dasharray: 6 3; }
.warmSpares { stroke: var(--warm); stroke-dasharray: 1.5 2; }
.mark { outline: none; } .mark circle { fill: var(--wanted); stroke: var(--paper); }
.mark:is(:hover, :focus) circle { stroke: var(--ink); stroke-width: 3; r: 7px; }
.reason { visibility: hidden; pointer-events: none; } .mark:is(:hover, :focus) .reason { visibility: visible; }
.reason p { width: fit-content; margin: 0 auto; padding: .2em .5em; max-height: 100%; overflow: hidden; font-size: 12px; line-height: 1.3;
  color: var(--ink); background: var(--card); border: 1px solid var(--line); border-radius: 4px; }
.legend { list-style: none; padding: 0; margin: .25rem 0; display: flex; flex-wrap: wrap; gap: .25rem 1rem; color: var(--dim); }
.legend li { margin: 0; }
.swatch { display: inline-block; width: .9rem; height: .9rem; border-radius: .15rem; vertical-align: -.1rem; border: 1px solid var(--line); }
.s-usersIn { background: var(--people); } .s-waiting { background: var(--waiting); } .s-event { background: var(--event); }
.s-nodes, .s-wanted, .s-warmSpares { width: 1.4rem; height: 0; border: 0; border-radius: 0; vertical-align: .25rem; }
.s-nodes { border-top: 2px solid var(--nodes); } .s-wanted { border-top: 2px dashed var(--wanted); }
.s-warmSpares { border-top: 2px dotted var(--warm); }
.s-change { width: .7rem; height: .7rem; border: 0; border-radius: 50%; background: var(--wanted); vertical-align: 0; }
.w0, .s-w0 { fill: #d9f0e3; background: #d9f0e3; } .w1, .s-w1 { fill: #8fd0b0; background: #8fd0b0; }
.w2, .s-w2 { fill: #fee391; background: #fee391; } .w3, .s-w3 { fill: #fe9929; background: #fe9929; }
.w4, .s-w4 { fill: #cc4c02; background: #cc4c02; } .w5, .s-w5 { fill: #7a1f00; background: #7a1f00; }
.bars text:is(.on-w0, .on-w1, .on-w2, .on-w3) { fill: #1b1f24; } .bars text:is(.on-w4, .on-w5) { fill: #ffffff; }
.used { fill: var(--used); } .idle { fill: var(--idle); } .bound { fill: var(--bound); }
.s-used { background: var(--used); } .s-idle { background: var(--idle); } .s-bound { background: var(--bound); }
.bars text.on-idle { fill: var(--ink); } .bars text:is(.on-used, .on-bound) { fill: var(--paper); }
.part { stroke: var(--line); } summary { cursor: pointer; padding: .3rem 0; } li { margin: .2rem 0; }
:is(summary, .scroll):focus-visible { outline: 2px solid var(--ink); outline-offset: 2px; }
@media print { body { max-width: none; padding: 0; font-size: 11pt; } section, .cards > div { break-inside: avoid; }
  section:has(table, details), details { break-inside: auto; } tr, svg { break-inside: avoid; } .scroll { overflow: visible; }
  .chart { min-width: 0; } * { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
`;
