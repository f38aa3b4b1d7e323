/** Conditions that hold one row to the app or the endpoint of another; both are names of tables in the statement. */

export const isOfApp = (table: string, owner: string) =>
  `${table}.company_id = ${owner}.company_id and ${table}.app_id = ${owner}.app_id`
export const isOf = (table: string, owner: string) =>
  `${isOfApp(table, owner)} and ${table}.endpoint_id = ${owner}.endpoint_id`
