/** What there is to measure, the quick ones first. */
import type { Scenario } from './scenario.ts';
import { startUp } from './start-up.ts';
import { syntheticPass } from './synthetic-pass.ts';

export const SCENARIOS: readonly Scenario[] = [startUp, syntheticPass];
