/**
 * A pool's name becomes the name of its Deployment and the value of a label, so it must be one that Kubernetes takes;
 * and it must not look like `cluster/pool`, which is how an event speaks to one cluster of a fleet.
 */

const MAX_LENGTH = 51;

/** Why the name cannot be used, with the rule it breaks; undefined when it can. */
export function poolNameProblem(name: string): string | undefined {
  if (name.length > MAX_LENGTH) {
    return `is ${name.length} characters long; the name of its Deployment has room for ${MAX_LENGTH}`;
  }
  if (!name.split('.').every((part) => /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(part))) {
    return 'must be lower-case letters, digits, dashes and dots, with a letter or digit at both ends';
  }
  return undefined;
}

export function isUsablePoolName(name: string): boolean {
  return poolNameProblem(name) === undefined;
}
