/** SQL for whether a row has the same app or endpoint as another; both are names of tables in the statement. */

export const isOfApp = (table: string, owner: string) =>
  `${table}.company_id = ${owner}.company_id and ${table}.app_id = ${owner}.app_id`
export const isOf = (table: string, owner: string) =>
  `${isOfApp(table, owner)} and ${table}.endpoint_id = ${owner}.endpoint_id`
