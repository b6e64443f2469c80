import { describe, expect, test } from 'vitest';
import { judgePriorityClass } from '../../functions/domain/priority-class.ts';

describe('a PriorityClass', () => {
  const ignored = 'below -10 the cluster autoscaler ignores a pod and starts no node for it; use -10';
  const stays = 'a placeholder would not yield to users, whose pods have priority 0; use -10';
  test.each([
    [-10, []],
    [-1, []],
    [
      -11,
      [
        {
          code: 'priority-ignored',
          severity: 'warning',
          message: `PriorityClass np has the value -11: ${ignored}`,
        },
      ],
    ],
    [
      0,
      [
        {
          code: 'priority-does-not-yield',
          severity: 'warning',
          message: `PriorityClass np has the value 0: ${stays}`,
        },
      ],
    ],
    [
      100,
      [
        {
          code: 'priority-does-not-yield',
          severity: 'warning',
          message: `PriorityClass np has the value 100: ${stays}`,
        },
      ],
    ],
  ])('of value %d', (value, problems) => {
    expect(judgePriorityClass('np', { value, preemptionPolicy: 'Never' })).toEqual(problems);
  });

  test('that preempts: its pods would be refused', () => {
    expect(judgePriorityClass('np', { value: -10, preemptionPolicy: 'PreemptLowerPriority' })).toEqual([
      {
        code: 'priority-policy',
        severity: 'error',
        message:
          'PriorityClass np has preemptionPolicy PreemptLowerPriority: placeholders ask for Never, and the API server ' +
          'refuses pods that differ from their class; recreate the class with preemptionPolicy: Never',
      },
    ]);
  });
});
