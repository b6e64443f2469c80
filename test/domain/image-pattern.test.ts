import { describe, expect, test } from 'vitest';
import { createImageTest } from '../../functions/domain/image-pattern.ts';

describe('a pattern matches', () => {
  test.each([
    ['quay.io/jupyter/scipy', 'quay.io/jupyter/scipy:2026-01-01'],
    ['quay.io/jupyter/scipy', 'quay.io/jupyter/scipy@sha256:0f3a'],
    ['quay.io/jupyter/scipy:2026-01-01', 'quay.io/jupyter/scipy:2026-01-01'],
    ['quay.io/jupyter/scipy@sha256:0f3a', 'quay.io/jupyter/scipy@sha256:0f3a'],
    ['quay.io/jupyter/scipy:2026-01-01@sha256:0f3a', 'quay.io/jupyter/scipy@sha256:0f3a'],
    ['quay.io/jupyter', 'quay.io/jupyter/scipy:2026-01-01'],
    ['quay.io/jupyter/', 'quay.io/jupyter/scipy:2026-01-01'],
    [
      'us-central1-docker.pkg.dev/p/hub/*-user-image',
      'us-central1-docker.pkg.dev/p/hub/datahub-user-image:abc',
    ],
    ['gcr.io/p/*:prod-*', 'gcr.io/p/a/b:prod-7'],
    ['*user*', 'gcr.io/p/user-image:1'],
    ['localhost:5000/hub', 'localhost:5000/hub:1'],
    ['localhost:5000', 'localhost:5000/hub:1'],
    ['localhost:5000/', 'localhost:5000/hub:1'],
    ['docker://quay.io/jupyter/scipy', 'quay.io/jupyter/scipy:1'],
    ['  quay.io/jupyter/scipy ', 'quay.io/jupyter/scipy:1'],
    ['jupyter/scipy', 'docker.io/jupyter/scipy:1'],
    ['index.docker.io/jupyter/scipy', 'docker.io/jupyter/scipy:1'],
    ['nginx', 'docker.io/library/nginx:1.27'],
    ['nginx:1.27', 'docker.io/library/nginx:1.27'],
    ['library/nginx', 'docker.io/library/nginx@sha256:1'],
    ['docker.io/nginx', 'docker.io/library/nginx:1.27'],
    ['index.docker.io/library/nginx', 'docker.io/library/nginx:1.27'],
  ])('%s: %s', (pattern, name) => {
    expect(createImageTest(['other/image', pattern])(name)).toBe(true);
  });
});

describe('a pattern does not match', () => {
  test.each([
    ['quay.io/jupyter/scipy', 'quay.io/jupyter/scipy-gpu:1'],
    ['quay.io/jupyter/scipy:1', 'quay.io/jupyter/scipy:10'],
    ['quay.io/jupyter/scipy:1', 'quay.io/jupyter/scipy@sha256:0f3a'],
    ['localhost:5000', 'localhost:50001/hub:1'],
    ['jupyter/scipy', 'quay.io/jupyter/scipy:1'],
    ['index.docker.io/*', 'quay.io/jupyter/scipy:1'],
    ['quay.io/jupyter', 'quay.io/jupyterhub/hub:1'],
    ['quay.io/jupyter/', 'quay.io/jupyter:1'],
    ['quay.io.jupyter', 'quay-io-jupyter:1'],
    ['scipy', 'quay.io/jupyter/scipy:1'],
    ['', 'quay.io/jupyter/scipy:1'],
    ['  ', 'quay.io/jupyter/scipy:1'],
  ])('%j: %s', (pattern, name) => {
    expect(createImageTest([pattern])(name)).toBe(false);
  });
});
