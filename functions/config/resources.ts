/** Resources of a placeholder as people write them: names that exist, quantities that Kubernetes can read. */
import { closestName } from '../domain/closest-name.ts';
import { parseQuantity } from '../domain/quantity.ts';
import { checkLabelKey } from './formats.ts';

const STANDARD_RESOURCES = ['cpu', 'memory', 'ephemeral-storage'];

/** What is wrong with a resource's name; extended ones have a domain (`nvidia.com/gpu`). */
export function checkResourceName(name: string): string | undefined {
  if (STANDARD_RESOURCES.includes(name) || name.startsWith('hugepages-')) {
    return undefined;
  }
  if (name.includes('/')) {
    return checkLabelKey(name);
  }
  if (/gpu|tpu/i.test(name)) {
    return 'no such resource; devices carry a domain, such as nvidia.com/gpu';
  }
  const near = name.toLowerCase() === 'mem' ? 'memory' : closestName(name, STANDARD_RESOURCES);
  const hint =
    near === undefined ? `known are ${STANDARD_RESOURCES.join(', ')}` : `did you mean \`${near}\`?`;
  return `no such resource; ${hint}`;
}

/** What is wrong with a quantity of a config file. */
export function checkQuantity(value: string | number): string | undefined {
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    return `is too large to be read exactly as a number; write it in quotes`;
  }
  if (value === '') {
    return 'is empty: write a quantity, such as 60738518784 or 56Gi, or remove the line';
  }
  const quantity = parseQuantity(value);
  if (quantity.kind === 'invalid') {
    return quantity.problem;
  }
  return quantity.nanos < 0n ? 'must not be negative' : undefined;
}

/** Below this a memory request has surely lost its unit: `64` is 64 bytes, `500m` is half a byte. */
const LEAST_PLAUSIBLE_MEMORY_NANOS = 1_000_000n * 1_000_000_000n;

/** Whether a memory quantity is so small that its unit must be missing. */
export function isImplausibleMemory(value: unknown): boolean {
  if (typeof value !== 'string' && typeof value !== 'number') {
    return false;
  }
  const quantity = parseQuantity(value);
  return quantity.kind === 'known' && quantity.nanos >= 0n && quantity.nanos < LEAST_PLAUSIBLE_MEMORY_NANOS;
}
