import ts from 'typescript-eslint';

/** Imports that a folder may not make: arrows point inward, from commands to pass to domain. */
const arrows = (files, groups) => ({
  files,
  rules: { 'no-restricted-imports': ['error', { patterns: groups }] },
});

const noClock = [
  { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'take now as an argument' },
  {
    selector: "CallExpression[callee.object.name='Date'][callee.property.name='now']",
    message: 'take now as an argument',
  },
];

export default ts.config(
  {
    ignores: [
      'dist',
      'coverage',
      'reports',
      'node_modules',
      '.stryker-tmp',
      '.cache',
      '**/*.js',
      '**/*.mjs',
      '**/*.cjs',
    ],
  },
  ...ts.configs.strictTypeChecked,
  { languageOptions: { parserOptions: { projectService: true } } },
  {
    files: ['**/*.ts'],
    rules: {
      'no-template-curly-in-string': 'error',
      'no-console': 'error',
      complexity: ['error', 10],
      'max-params': ['error', 3],
      'max-lines': ['error', { max: 300, skipComments: true, skipBlankLines: true }],
      'max-lines-per-function': ['error', { max: 60, skipComments: true, skipBlankLines: true }],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/no-floating-promises': [
        'error',
        {
          allowForKnownSafeCalls: [
            { from: 'package', package: 'vitest', name: ['test', 'it', 'describe', 'suite'] },
          ],
        },
      ],
    },
  },
  {
    files: ['functions/domain/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ regex: '^(?!\\./)', message: 'domain is pure: it imports only ./ siblings' }] },
      ],
      'no-restricted-globals': [
        'error',
        'process',
        'setTimeout',
        'setInterval',
        'performance',
        'fetch',
        'Promise',
      ],
      'no-restricted-syntax': [
        'error',
        ...noClock,
        {
          selector: "CallExpression[callee.object.name='Math'][callee.property.name='random']",
          message: 'no randomness in domain',
        },
        { selector: ':function[async=true]', message: 'domain is synchronous' },
        { selector: 'AwaitExpression', message: 'domain is synchronous' },
      ],
    },
  },
  arrows(
    ['functions/pass/**/*.ts'],
    [
      {
        regex: '^\\.\\./(calendar|cluster|state|embedded|report|commands)/',
        message: 'pass knows ports, not adapters',
      },
      { regex: '^(?!\\.)', message: 'pass knows ports, not libraries' },
    ],
  ),
  arrows(
    [
      'functions/calendar/**/*.ts',
      'functions/cluster/**/*.ts',
      'functions/state/**/*.ts',
      'functions/config/**/*.ts',
    ],
    [
      {
        regex: '^\\.\\./(pass|commands|embedded|report)/',
        message: 'an adapter knows the domain and its port only',
      },
    ],
  ),
  { files: ['functions/pass/**/*.ts'], rules: { 'no-restricted-syntax': ['error', ...noClock] } },
  {
    files: ['test/**/*.ts'],
    rules: {
      'max-lines': 'off',
      'max-lines-per-function': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      'no-restricted-syntax': [
        'error',
        {
          selector: 'CallExpression[callee.name=/^(test|it)$/] IfStatement',
          message: 'a test body has no branches: every row asserts',
        },
        {
          selector: 'CallExpression[callee.name=/^(test|it)$/] ConditionalExpression',
          message: 'a test body has no branches',
        },
      ],
    },
  },
);
