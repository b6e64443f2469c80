/** Answers on the wire, as they should be and as a fault has them. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { JsonObject } from '../objects.ts';
import type { Refusal } from '../refusal.ts';
import type { FaultEffect } from './faults.ts';
import type { ApiAnswer } from './service.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
/** Like the real server, answers over 128 KiB are compressed for whoever takes that. */
const COMPRESSED_FROM_BYTES = 128 * 1024;

export function statusOf(refusal: Refusal): JsonObject {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: refusal.message,
    reason: refusal.reason,
    code: refusal.code,
  };
}

function acceptedEncodings(request: IncomingMessage): string {
  return [request.headers['accept-encoding'] ?? ''].flat().join(',');
}

export function send(request: IncomingMessage, response: ServerResponse, answer: ApiAnswer): void {
  const text = JSON.stringify(answer.body);
  const isCompressed = text.length > COMPRESSED_FROM_BYTES && /\bgzip\b/.test(acceptedEncodings(request));
  const payload = isCompressed ? gzipSync(text, { level: 1 }) : Buffer.from(text);
  response.writeHead(answer.status, {
    ...JSON_TYPE,
    'content-length': payload.length,
    ...(isCompressed ? { 'content-encoding': 'gzip' } : {}),
  });
  response.end(payload);
}

/** Answers as the fault has it. */
export function suffer(
  fault: Exclude<FaultEffect, { kind: 'delay' }>,
  response: ServerResponse,
  answer: ApiAnswer,
): void {
  const text = JSON.stringify(answer.body);
  const half = text.slice(0, Math.floor(text.length / 2));
  switch (fault.kind) {
    case 'status':
      sendStatus(fault, response);
      return;
    case 'silence':
      return;
    case 'refuse':
    case 'loseAnswer':
      response.destroy();
      return;
    case 'cut':
      response.writeHead(answer.status, { ...JSON_TYPE, 'content-length': text.length });
      response.write(half, () => response.destroy());
      return;
    case 'truncate':
      response.writeHead(answer.status, JSON_TYPE);
      response.end(half);
      return;
    case 'garbage':
      response.writeHead(200, JSON_TYPE);
      response.end('<html><body>502 Bad Gateway</body></html>');
  }
}

function sendStatus(fault: Extract<FaultEffect, { kind: 'status' }>, response: ServerResponse): void {
  const { status, reason = '', message = 'an injected fault', retryAfterSeconds } = fault;
  const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  response.writeHead(status, { ...JSON_TYPE, ...headers });
  response.end(JSON.stringify(statusOf({ code: status, reason, message })));
}
