import { describe, expect, test } from 'vitest';
import { hasCondition, isTerminal, isTerminating, podTitle } from '../../functions/domain/pod.ts';
import type { RawPod } from '../../functions/domain/pod.ts';

const USER: RawPod = {
  metadata: { name: 'jupyter-ada', namespace: 'hub' },
  status: {
    phase: 'Running',
    conditions: [
      { type: 'PodScheduled', status: 'True' },
      { type: 'Ready', status: 'False' },
    ],
  },
};

describe('a pod has come to its end', () => {
  test.each<readonly [string, RawPod, boolean]>([
    ['Succeeded', { status: { phase: 'Succeeded' } }, true],
    ['Failed', { status: { phase: 'Failed' } }, true],
    ['Running', USER, false],
    ['Pending', { status: { phase: 'Pending' } }, false],
    ['without a status', { metadata: USER.metadata }, false],
  ])('%s', (_name, pod, expected) => {
    expect(isTerminal(pod)).toBe(expected);
  });
});

describe('a pod is on its way out', () => {
  test.each<readonly [string, RawPod, boolean]>([
    ['deleted', { metadata: { ...USER.metadata, deletionTimestamp: '2026-03-02T09:00:00Z' } }, true],
    ['not deleted', USER, false],
    ['without metadata', {}, false],
  ])('%s', (_name, pod, expected) => {
    expect(isTerminating(pod)).toBe(expected);
  });
});

describe('a pod in a message', () => {
  test.each<readonly [string, RawPod]>([
    ['hub/jupyter-ada', USER],
    ['default/jupyter-ada', { metadata: { name: 'jupyter-ada' } }],
    ['hub/(unnamed)', { metadata: { namespace: 'hub' } }],
    ['default/(unnamed)', {}],
  ])('%s', (title, pod) => {
    expect(podTitle(pod)).toBe(title);
  });
});

describe('a condition of a pod', () => {
  test.each<readonly [string, RawPod, string, string, boolean]>([
    ['is so', USER, 'PodScheduled', 'True', true],
    ['is otherwise', USER, 'Ready', 'True', false],
    ['is not reported', USER, 'Initialized', 'True', false],
    ['of a pod without a status', {}, 'Ready', 'True', false],
    ['of a pod without conditions', { status: { phase: 'Running' } }, 'Ready', 'True', false],
  ])('%s', (...[, pod, type, status, expected]) => {
    expect(hasCondition(pod, type, status)).toBe(expected);
  });
});
