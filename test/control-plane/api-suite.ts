/**
 * What the product relies on a Kubernetes API for. One suite, run on a real control plane and on the embedded cluster's
 * HTTPS face: where they differ, the model is wrong.
 */
import { afterAll, afterEach, beforeAll, describe } from 'vitest';

import { describeApplying } from './api-applying.ts';
import { describeEvicting } from './api-evicting.ts';
import type { ApiFace } from './api-face.ts';
import { describeMarking } from './api-marking.ts';
import { describeReading } from './api-reading.ts';
import { describeScheduling } from './api-scheduling.ts';
import { ApiStage } from './api-stage.ts';

const STARTUP_TIMEOUT_MS = 90_000;

export function describeApi(name: string, open: () => Promise<ApiFace>): void {
  describe(name, () => {
    const stage = new ApiStage(open);

    beforeAll(async () => {
      await stage.set();
    }, STARTUP_TIMEOUT_MS);

    afterEach(async () => {
      await stage.clear();
    });

    afterAll(async () => {
      await stage.strike();
    });

    describeReading(stage);
    describeApplying(stage);
    describeMarking(stage);
    describeScheduling(stage);
    describeEvicting(stage);
  });
}
