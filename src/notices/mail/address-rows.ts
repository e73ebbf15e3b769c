import type { Database, Statement } from '#src/core/database/database.ts'

// All SQL for the table `mail_addresses`.

/** The addresses of a user, as in the schema. */
export interface AddressRow {
  address: string
  wanted: string
  code: string
  sent: number
}

/** The addresses of a user; undefined: there are none. */
export async function readAddresses(
  { read }: Pick<Database, 'read'>,
  user: number,
): Promise<AddressRow | undefined> {
  const sql = 'SELECT address, wanted, code, sent FROM mail_addresses WHERE user = ?'
  const [row] = await read<AddressRow>(sql, [user])
  return row
}

/** The statement that notes an address to which a code was sent. A confirmed address stays until then. */
export function wantedStatement(
  user: number,
  { wanted, code, sent }: Pick<AddressRow, 'wanted' | 'code' | 'sent'>,
): Statement {
  return {
    sql: `INSERT INTO mail_addresses (user, address, wanted, code, sent, tries) VALUES (?, '', ?, ?, ?, 0)
      ON CONFLICT DO UPDATE SET wanted = excluded.wanted, code = excluded.code, sent = excluded.sent, tries = 0`,
    values: [user, wanted, code, sent],
  }
}

/** The statement that counts an attempt to confirm. It returns the row, unless there were `most` attempts. */
export function triedStatement(user: number, most: number): Statement {
  return {
    sql: `UPDATE mail_addresses SET tries = tries + 1 WHERE user = ? AND wanted <> '' AND tries < ?
      RETURNING address, wanted, code, sent`,
    values: [user, most],
  }
}

/** The statement that confirms the address with this code. */
export function confirmedStatement(user: number, code: string): Statement {
  return {
    sql: `UPDATE mail_addresses SET address = wanted, wanted = '', code = '', tries = 0
      WHERE user = ? AND code = ? AND wanted <> ''`,
    values: [user, code],
  }
}

/** The statement that removes the addresses of a user. */
export function addressesRemoved(user: number): Statement {
  return { sql: 'DELETE FROM mail_addresses WHERE user = ?', values: [user] }
}

/** The statement that removes the addresses of all users but these. */
export function otherAddressesRemoved(users: readonly number[]): Statement {
  return {
    sql: 'DELETE FROM mail_addresses WHERE user NOT IN (SELECT value FROM json_each(?))',
    values: [JSON.stringify(users)],
  }
}
