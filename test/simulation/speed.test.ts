import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseSettings } from '../../functions/config/load.ts';
import { stringify } from 'yaml';
import { parseScenario } from '../../functions/simulation/load-scenario.ts';
import { eventsOf, resolveScenario, spanOf } from '../../functions/simulation/resolve-scenario.ts';
import type { Scenario } from '../../functions/simulation/scenario.ts';
import { runTrial } from '../../functions/simulation/trial.ts';
import { trialToJson } from '../../functions/report/simulation-json.ts';

const WEEK = 7 * 86_400_000;
const PASSES_A_WEEK = 10_080;
/** Sixteen weeks, 161,280 passes, in a minute. */
const MOST_MILLISECONDS_A_PASS = 60_000 / (16 * PASSES_A_WEEK);

function semester(weeks: number): Scenario {
  const path = new URL('../../examples/scenarios/semester.yaml', import.meta.url);
  const loaded = parseScenario(readFileSync(path, 'utf8'), 'semester.yaml');
  const text = stringify({ cluster: 'embedded', ...loaded.file.config });
  const settings = parseSettings(text, { source: 'semester.yaml', folder: '.' }, { kubeconfigPath: '' });
  const whole = spanOf(loaded.file);
  const span = { ...whole, toAt: whole.fromAt + weeks * WEEK };
  const events = eventsOf(loaded.file, span);
  return resolveScenario(loaded, { settings, cluster: settings.clusters[0]!, span, events });
}

describe('a semester of two pools and ten classes a week', () => {
  it('runs at a rate of sixteen weeks in less than a minute, and gives the same bytes each time', async () => {
    const scenario = semester(1);
    const run = async (): Promise<string> =>
      JSON.stringify(trialToJson(await runTrial(scenario, { seed: 1, compare: [] })));
    const first = await run();
    // Of processor time, since other tests run beside this one.
    const before = process.cpuUsage();
    const second = await run();
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000 / PASSES_A_WEEK).toBeLessThan(MOST_MILLISECONDS_A_PASS);
    expect(second).toBe(first);
    expect(JSON.parse(first)).toMatchObject({ passes: PASSES_A_WEEK, isWhole: true });
  });
});
