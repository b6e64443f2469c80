import { expect, test } from 'vitest';
import { kindOfTokenFailure } from '../functions/token-failure.ts';

function failing(fields: object, cause?: unknown): Error {
  return Object.assign(new Error('no token', { cause }), fields);
}

test.each([
  ['429', failing({ status: 429 }), 'throttled'],
  ['500', failing({ status: 500 }), 'unavailable'],
  ['503 of a response', failing({ response: { status: 503 } }), 'unavailable'],
  ['408', failing({ status: 408 }), 'unavailable'],
  ['400, as for a key that was revoked', failing({ status: 400, code: 'invalid_grant' }), 'unauthenticated'],
  ['403', failing({ response: { status: 403 } }), 'unauthenticated'],
  ['a connection that was refused', failing({ code: 'ECONNREFUSED' }), 'unavailable'],
  ['one that was cut, told by the cause', failing({}, failing({ code: 'UND_ERR_SOCKET' })), 'unavailable'],
  ['a name that nobody knows', failing({ code: 'ENOTFOUND' }), 'unavailable'],
  ['an answer that did not come', new DOMException('too late', 'TimeoutError'), 'unavailable'],
  ['a key file that is not there', failing({ code: 'ENOENT' }), 'unauthenticated'],
  ['no credentials at all', failing({}), 'unauthenticated'],
  ['no error', 'nothing', 'unauthenticated'],
])('%s', (_, thrown, kind) => {
  expect(kindOfTokenFailure(thrown)).toBe(kind);
});

test('causes that go round come to an end', () => {
  const error = new Error('round');
  error.cause = error;
  expect(kindOfTokenFailure(error)).toBe('unauthenticated');
});
