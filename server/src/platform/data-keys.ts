/** Data keys in the database, wrapped by the master key. */
import { randomBytes } from 'node:crypto'
import { ConfigError } from './config-error.ts'
import type { Database } from './database.ts'
import { type DataKey, decrypt, encrypt, Keyring, sha256 } from './keyring.ts'
import { raiseRevision } from './remember.ts'

/** A new key comes into use only after this time, when every node has read it. */
const activationSeconds = 10

/** Newest first: the first one wraps and unwraps, the others only unwrap. */
export interface MasterKeys {
  readonly secrets: readonly [Buffer, ...Buffer[]]
}

const nameOf = (master: Buffer) => sha256(master.toString('base64')).toString('hex').slice(0, 16)
const contextOf = (id: number) => `data key ${id}`

interface DataKeyRow {
  data_key: number
  wrapped: Buffer
  wrapped_by: string
  active_from: Date
}

async function readRows(database: Database): Promise<DataKeyRow[]> {
  const found = await database.query<DataKeyRow>({ text: 'select * from data_keys order by data_key' })
  return found.rows
}

function unwrap(masters: MasterKeys, row: DataKeyRow): DataKey {
  const master = masters.secrets.find((secret) => nameOf(secret) === row.wrapped_by)
  if (!master) {
    throw new ConfigError(
      'MASTER_KEY is not the one this database was made with. Give the right one; after a change, "new,old". If it is not set, restore the file master-key in DATA_DIR.',
    )
  }
  return {
    id: row.data_key,
    secret: decrypt(master, row.wrapped, contextOf(row.data_key)),
    activeFromMs: row.active_from.getTime(),
  }
}

export async function loadKeyring(database: Database, masters: MasterKeys): Promise<Keyring> {
  const rows = await readRows(database)
  if (rows.length === 0)
    throw new Error('The database has no data key yet. Start the service once, or run: countersign migrate')
  return new Keyring(rows.map((row) => unwrap(masters, row)))
}

/** Whether the first of the master keys wraps every data key, so that the others are not needed. */
export async function isWrappedByFirst(database: Database, { secrets }: MasterKeys): Promise<boolean> {
  const rows = await readRows(database)
  return rows.every((row) => row.wrapped_by === nameOf(secrets[0]))
}

export const makeFirstDataKey = (database: Database, masters: MasterKeys): Promise<void> =>
  insertKey(database, masters.secrets[0], 1, 0)

/** Runs at start: makes the first data key, and wraps with the newest master key what an older one had wrapped. */
export async function prepareDataKeys(database: Database, masters: MasterKeys): Promise<void> {
  const [newest] = masters.secrets
  await makeFirstDataKey(database, masters)
  for (const row of await readRows(database)) {
    if (row.wrapped_by === nameOf(newest)) continue
    const { id, secret } = unwrap(masters, row)
    await database.query({
      text: 'update data_keys set wrapped = $2, wrapped_by = $3 where data_key = $1 and wrapped_by = $4',
      values: [id, encrypt(newest, secret, contextOf(id)), nameOf(newest), row.wrapped_by],
    })
  }
}

/** Adds a key that is used for everything sealed and derived from then on; older keys stay readable. Returns its id. */
export async function addDataKey(database: Database, masters: MasterKeys): Promise<number> {
  const rows = await readRows(database)
  // With a master key that opens none of the others, the new data key would lock everybody out.
  for (const row of rows) unwrap(masters, row)
  const id = (rows.at(-1)?.data_key ?? 0) + 1
  await insertKey(database, masters.secrets[0], id, activationSeconds)
  await raiseRevision(database)
  return id
}

async function insertKey(
  database: Database,
  master: Buffer,
  id: number,
  delaySeconds: number,
): Promise<void> {
  await database.query({
    text: `insert into data_keys (data_key, wrapped, wrapped_by, active_from)
           values ($1, $2, $3, now() + $4 * interval '1 second') on conflict do nothing`,
    values: [id, encrypt(master, randomBytes(32), contextOf(id)), nameOf(master), delaySeconds],
  })
}
