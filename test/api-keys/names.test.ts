import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../helpers/any-text.js';
import { databaseKinds, emptyDatabase, openForTest } from './helpers/databases.js';
import { ada, bob } from './helpers/people.js';
import { refusalOf } from './helpers/rejections.js';

const aKey = `ck_${'a1'.repeat(6)}_${'Zz9'.repeat(16)}x`;

describe.each(databaseKinds)('names on $name (K3)', (kind) => {
  const open = async () => {
    const { url } = await emptyDatabase(kind);
    const apiKeys = await openForTest({ database: url, edition: 'Professional' });
    const expiresOn = apiKeys.maxExpiresOn();
    const create = (name: unknown, actor = ada) => apiKeys.create(actor, { name: name as string, expiresOn });
    return { apiKeys, create };
  };

  it('are trimmed and composed (NFC) before they are kept', async () => {
    const { create } = await open();
    expect((await create(' \t Zoe\u0308 \n')).apiKey.name).toBe('Zoë');
  });

  it('are unique over all users, with the message of specification 7.1', async () => {
    const { create } = await open();
    await create('Export');
    const refusal = await refusalOf(create(' Export ', bob));
    expect(refusal).toMatchObject({
      name: 'ApiKeyError',
      kind: 'validation',
      message: 'API key name must be unique.',
      fieldErrors: [{ field: 'name', message: 'API key name must be unique.' }],
    });
    await create('Export 2', bob);
  });

  it('are the same name in composed and decomposed form', async () => {
    const { create } = await open();
    await create('Caf\u00e9');
    expect((await refusalOf(create('Cafe\u0301'))).message).toBe('API key name must be unique.');
  });

  it('are the same name with any blanks between words, as a page shows them alike', async () => {
    const { create } = await open();
    expect((await create('Nightly \u00a0\u3000export')).apiKey.name).toBe('Nightly export');
    for (const name of ['Nightly export', 'Nightly  export', 'Nightly\u00a0export', 'Nightly\u2003export']) {
      expect((await refusalOf(create(name))).message).toBe('API key name must be unique.');
    }
  });

  it('may have four characters for each composed one, and many blanks', async () => {
    const { create } = await open();
    expect((await create('\u1f82'.normalize('NFD').repeat(100))).apiKey.name).toBe('\u1f82'.repeat(100));
    expect((await create(`${'Zoe\u0308'.repeat(12)}${' '.repeat(5000)}!`)).apiKey.name).toBe(`${'Zoë'.repeat(12)} !`);
  });

  it('differ when they differ in case', async () => {
    const { create } = await open();
    await create('export');
    expect((await create('Export')).apiKey.name).toBe('Export');
  });

  it('stay taken by a Revoked key', async () => {
    const { apiKeys, create } = await open();
    const { apiKey } = await create('CI');
    await apiKeys.revoke(ada, apiKey.id);
    expect((await refusalOf(create('CI'))).message).toBe('API key name must be unique.');
  });

  it.each([
    ['one character', 'x'],
    ['100 characters', 'x'.repeat(100)],
    ['100 characters after trimming', `  ${'x'.repeat(100)}  `],
    ['100 characters beyond the basic plane', '\u{1F511}'.repeat(100)],
    ['markup', '<img src=x onerror=alert(1)>'],
    ['quotes and SQL', `'); drop table concordat_api_key; --"`],
    ['wildcards', '100% _sure_ \\ yes'],
    ['an emoji with joiners', '\u{1F469}\u200D\u{1F4BB} laptop'],
    ['Persian with a non-joiner', 'می\u200Cخواهم'],
    ['a heart in color', '\u2764\uFE0F CI'],
    ['Japanese with a variant', '\u845B\u{E0100}城'],
    ['a template', '{{7*7}} <%= 7*7 %>'],
    ['what only resembles the value of a key', `img_0123456789ab_${'0f'.repeat(32)}`],
  ])('may be %s', async (_, name) => {
    const { apiKeys, create } = await open();
    const { apiKey } = await create(name);
    expect((await apiKeys.get(ada, apiKey.id)).name).toBe(name.trim());
  });

  const required = 'API key name is required.';
  const tooLong = 'API key name cannot exceed 100 characters.';
  const invisible = 'API key name must not contain control or invisible characters.';
  it.each([
    ['missing', undefined, required],
    ['null', null, required],
    ['empty', '', required],
    ['blanks only', ' \t\n\u00a0', required],
    ['invisible only', '\u200b\u200d\ufeff', required],
    ['a Hangul filler', '\u3164', required],
    ['an empty Braille cell', '\u2800', required],
    ['a variation of nothing', '\uFE0F', required],
    ['a number', 7, 'API key name must be text.'],
    ['an object', { toString: () => 'x' }, 'API key name must be text.'],
    ['an array', ['x'], 'API key name must be text.'],
    ['101 characters', 'x'.repeat(101), tooLong],
    ['a megabyte', 'x'.repeat(1 << 20), tooLong],
    ['a quarter of a megabyte of marks', `a${'\u0301'.repeat(1 << 17)}${'\u0316'.repeat(1 << 17)}`, tooLong],
    ['the value of a key', `CI ${aKey}`, 'API key name must not contain the value of an API key.'],
    [
      'the value of a key with a typing error',
      aKey.replace('ck_', 'xy_'),
      'API key name must not contain the value of an API key.',
    ],
    ['a NUL inside', 'a\0b', invisible],
    ['a line break inside', 'a\nb', invisible],
    ['a tab inside', 'a\tb', invisible],
    ['an escape sequence', 'a\u001b[31mb', invisible],
    ['a C1 control', 'a\u0085b', invisible],
    ['a turn of direction', 'a\u202eb', invisible],
    ['a zero-width blank', 'a\u200bb', invisible],
    ['a line separator', 'a\u2028b', invisible],
    ['a Hangul filler at the end', 'a\u3164', invisible],
    ['a joiner of graphemes', 'a\u034Fb', invisible],
    ['an initial of no Hangul syllable', 'a\u115F', invisible],
    ['half a surrogate pair', 'a\ud800b', invisible],
  ])('must not be %s', async (_, name, message) => {
    const { apiKeys, create } = await open();
    const refusal = await refusalOf(create(name));
    expect(refusal).toMatchObject({ kind: 'validation', fieldErrors: [{ field: 'name', message }] });
    expect((await apiKeys.list(ada)).items).toEqual([]);
    expect((await apiKeys.audits(ada)).items).toEqual([]);
  });

  it('come back as they were kept, whatever they are, or are refused as a name', async () => {
    const { apiKeys, create } = await open();
    await fc.assert(
      fc.asyncProperty(anyText({ maxLength: 110 }), async (name) => {
        const outcome = await create(name).catch((error) => error);
        if ('apiKey' in outcome) {
          const kept = (await apiKeys.get(ada, outcome.apiKey.id)).name;
          expect(kept).toBe(name.trim().normalize('NFC').replace(/\s+/g, ' '));
        } else {
          expect(outcome.fieldErrors).toMatchObject([{ field: 'name' }]);
        }
      }),
      { numRuns: 60 },
    );
  });
});
