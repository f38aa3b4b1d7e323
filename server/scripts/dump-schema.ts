/** Writes the schema that results from the migrations, for readers: tables, keys, indexes and triggers, from the catalogue. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { startThrowawayDatabase } from '../src/platform/embedded-database.ts'
import { migrate } from '../src/platform/migrate.ts'

const file = new URL('../schema.sql', import.meta.url)
const migrations = fileURLToPath(new URL('../migrations', import.meta.url))

const tables = `
  select c.oid, c.relname as name, pg_get_partkeydef(c.oid) as partition_key
    from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
   order by c.relname`
const columns = `
  select a.attname as name, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as is_required,
         pg_get_expr(d.adbin, d.adrelid) as fallback
    from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
   where a.attrelid = $1 and a.attnum > 0 and not a.attisdropped order by a.attnum`
const constraints = `
  select pg_get_constraintdef(oid) as definition from pg_constraint
   where conrelid = $1 and contype <> 'n' order by contype desc, conname`
const indexes = `
  select pg_get_indexdef(i.indexrelid) as definition from pg_index i
   where i.indrelid = $1 and not exists (select 1 from pg_constraint k where k.conindid = i.indexrelid) order by 1`
const triggers = `
  select pg_get_triggerdef(oid) as definition from pg_trigger where tgrelid = $1 and not tgisinternal order by tgname`
const functions = `
  select pg_get_functiondef(oid) as definition from pg_proc where pronamespace = 'public'::regnamespace order by proname`

async function dump(client: pg.Client): Promise<string> {
  const parts = [
    '-- Made from the migrations by "npm run generate". For reading; the migrations are what runs.',
  ]
  for (const { definition } of (await client.query(functions)).rows) parts.push(`${definition.trim()};`)
  for (const table of (await client.query(tables)).rows) {
    const lines = [
      ...(await client.query(columns, [table.oid])).rows.map(
        (column) =>
          `  ${column.name} ${column.type}${column.is_required ? ' not null' : ''}${column.fallback ? ` default ${column.fallback}` : ''}`,
      ),
      ...(await client.query(constraints, [table.oid])).rows.map(
        (constraint) => `  ${constraint.definition}`,
      ),
    ]
    const partitioned = table.partition_key ? ` partition by ${table.partition_key}` : ''
    parts.push(`create table ${table.name} (\n${lines.join(',\n')}\n)${partitioned};`)
    for (const kind of [indexes, triggers]) {
      const found = (await client.query(kind, [table.oid])).rows.map(({ definition }) => `${definition};`)
      if (found.length > 0) parts.push(found.join('\n'))
    }
  }
  return `${parts.join('\n\n')}\n`
}

const database = await startThrowawayDatabase()
try {
  await migrate(database.url, migrations, () => {})
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const text = await dump(client)
  await client.end()
  if (!process.argv.includes('--check')) writeFileSync(file, text)
  else if (readFileSync(file, 'utf8') !== text) {
    console.error('server/schema.sql is not what the migrations make. Run: npm run generate')
    process.exitCode = 1
  }
} finally {
  await database.close()
}
