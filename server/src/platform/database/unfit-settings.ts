/**
 * Settings of a server, a database or a role with which statements answer in another form, or do something else beside
 * others. A row is one to change, and the statement that changes it: for this user in this database, which comes before
 * all other places of a setting, and which the user may do.
 */
export const unfitSettings = `select name || ' = ' || setting as setting,
       'alter role ' || quote_ident(current_user) || ' in database ' || quote_ident(current_database()) || ' set ' || lower(name) || ' = '
         || quote_literal(case name when 'DateStyle' then 'ISO' else 'read committed' end) || ';' as remedy
  from pg_settings
 where name = 'DateStyle' and setting not like 'ISO%'
    or name = 'default_transaction_isolation' and setting <> 'read committed'
 order by name`

export type UnfitSetting = { readonly setting: string; readonly remedy: string }
