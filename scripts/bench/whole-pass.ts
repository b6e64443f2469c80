/** A whole pass as a process, and the floor beside it, over one API server: what both kinds of servers share. */
import type { ChildRun } from './child-run.ts';
import { figureOf } from './figure.ts';
import type { Figure } from './figure.ts';
import { FLOORS, nameFloor, runFloor } from './floor.ts';
import type { FloorOptions } from './floor.ts';
import { assertExit, runProgram } from './program.ts';
import type { PassFiles, PassRun } from './program.ts';

export interface SideBySide<Seen> {
  readonly passes: readonly PassRun[];
  /** What the server says of each pass. */
  readonly seen: readonly Seen[];
  readonly figures: readonly Figure[];
  /** Medians, in seconds and megabytes. */
  readonly passSeconds: number;
  readonly floorSeconds: number;
  readonly passMegabytes: number;
}

export interface SideBySideOptions<Seen> {
  readonly files: PassFiles;
  readonly floor: FloorOptions;
  readonly repeats: number;
  /** Whether a pass may come to its own deadline; it then applies nothing, and is timed and not counted. */
  readonly mayStop?: boolean;
  /** Runs a pass and returns what the server counted meanwhile. */
  readonly observe: (pass: () => Promise<void>) => Promise<Seen>;
}

/** In turns, so that whatever else the machine does falls upon all alike. */
export async function runSideBySide<Seen>(options: SideBySideOptions<Seen>): Promise<SideBySide<Seen>> {
  const { files, floor, repeats } = options;
  const passes: PassRun[] = [];
  const seen: Seen[] = [];
  const floors = new Map<string, ChildRun[]>(FLOORS.map((kind) => [nameFloor(kind), []]));
  for (let round = 0; round < repeats; round += 1) {
    const pass = async () => {
      passes.push(await runProgram(files, { folder: floor.folder }));
    };
    const counted = await options.observe(pass);
    const run = passes.at(-1);
    if (options.mayStop !== true || !isStopped(run)) {
      if (run !== undefined) assertExit(run, 0);
      seen.push(counted);
    }
    for (const kind of FLOORS) floors.get(nameFloor(kind))?.push(await runFloor(kind, floor));
  }
  const figures = [
    ...costOf('pass', passes),
    ...Array.from(floors, ([name, runs]) => costOf(name, runs)).flat(),
  ];
  const walls = Array.from(floors.values(), (runs) => medianOf(runs, 'wallSeconds'));
  return {
    passes,
    seen,
    figures,
    passSeconds: medianOf(passes, 'wallSeconds'),
    floorSeconds: Math.min(...walls),
    passMegabytes: medianOf(passes, 'peakMegabytes'),
  };
}

/** Whether it came to its own deadline. */
export function isStopped(run: PassRun | undefined): boolean {
  return (
    run?.lines.some((line) => line['event'] === 'pass_summary' && line['outcome'] === 'stopped') === true
  );
}

type Cost = 'wallSeconds' | 'cpuSeconds' | 'peakMegabytes';

function medianOf(runs: readonly ChildRun[], cost: Cost): number {
  return figureOf(cost, '', samplesOf(runs, cost)).median;
}

function samplesOf(runs: readonly ChildRun[], cost: Cost): readonly number[] {
  return runs.map((run) => run[cost]);
}

export function costOf(name: string, runs: readonly ChildRun[]): readonly Figure[] {
  return [
    figureOf(`${name}: wall, process start included`, 's', samplesOf(runs, 'wallSeconds')),
    figureOf(`${name}: CPU`, 's', samplesOf(runs, 'cpuSeconds')),
    figureOf(`${name}: peak resident`, 'MB', samplesOf(runs, 'peakMegabytes')),
  ];
}
