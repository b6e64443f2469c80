import { describe } from 'vitest';

import { describeApi } from './api-suite.ts';
import { isControlPlaneWanted } from './harness.ts';
import { openRealFace } from './real-face.ts';

describe.skipIf(!isControlPlaneWanted())('on a real control plane', () => {
  describeApi('the Kubernetes API', async () => await openRealFace('job-api', 'api'));
});
