import { describe } from 'vitest';

import { describeApi } from './api-suite.ts';
import { openEmbeddedFace } from './embedded-face.ts';

describe('on the embedded cluster', () => {
  describeApi('the Kubernetes API', async () => await openEmbeddedFace('job-api', 'api'));
});
