/** What there is to measure, the quick ones first. */
import { decision } from './decision.ts';
import { description } from './description.ts';
import { fleet } from './fleet.ts';
import { plan } from './plan.ts';
import { realPass } from './real-pass.ts';
import type { Scenario } from './scenario.ts';
import { simulate } from './simulate.ts';
import { startUp } from './start-up.ts';
import { syntheticPass } from './synthetic-pass.ts';
import { throttled } from './throttled.ts';
import { wire } from './wire.ts';

export const SCENARIOS: readonly Scenario[] = [
  decision,
  description,
  plan,
  simulate,
  startUp,
  wire,
  syntheticPass,
  throttled,
  fleet,
  realPass,
];
