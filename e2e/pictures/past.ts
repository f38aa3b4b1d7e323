/**
 * A service that is a minute old has empty charts. This adds a month of figures, as upkeep would have written them, and
 * moves the attack that the guard remembers to earlier hours.
 */
import { withDatabase } from '../harness/database.ts'
import type { RunningService } from '../harness/process.ts'
import type { Story } from './story.ts'

export const addPast = (running: RunningService, { companyId, appId }: Story) =>
  withDatabase(running, async (client) => {
    // Figures by the hour, and by the day as sums of these, so that pages agree whichever they read.
    await client.query(
      `with drawn as (
         select app.company_id, app.app_id, date_trunc('hour', now(), 'UTC') - n * interval '1 hour' as starts_at, channel, country, price,
                (most * (0.7 + 0.3 * sin(n * 0.26 + price)) / 24 / app.place)::integer as sends, n
           from (select *, row_number() over (order by app_id desc) as place from apps
                  where name in ('Harbour', 'Quay Ferries', 'Pier Bikes', 'Lantern Tickets')) app
          cross join generate_series(2, 29 * 24) n
          cross join (values ('sms', 'GB', 1600, 40000), ('sms', 'DE', 960, 70000), ('whatsapp', 'BR', 680, 30000), ('email', 'none', 520, 1000))
                     kind (channel, country, most, price)
       ), typed as (select *, (sends * (0.78 + 0.05 * sin(n * 0.04)))::integer as approvals from drawn
       ), spans as (
         select company_id, app_id, span, date_trunc(span, starts_at, 'UTC') as starts_at, channel, country, sum(sends)::integer as sends,
                sum(approvals)::integer as approvals, sum(sends * price) as cost
           from typed cross join unnest(array['hour', 'day']) span group by 1, 2, 3, 4, 5, 6
       )
       insert into figures
       select company_id, app_id, span, starts_at, channel, country, sends, sends, sends - sends / 40, sends / 40, approvals, cost,
              array[66, 70, 74]::smallint[], array[approvals / 3, approvals / 3, approvals / 3], now() + interval '90 days'
         from spans`,
    )
    await client.query(
      `insert into way_figures
       select company_id, app_id, span, starts_at, way, key, sum(sends), sum(messages), sum(delivered), sum(failed), sum(approvals),
              sum(cost_micros), expires_at
         from figures cross join lateral (values ('channel_started', channel), ('provider', 'simulator-' || channel)) way (way, key)
        group by company_id, app_id, span, starts_at, way, key, expires_at`,
    )
    await client.query(`update companies set created_at = now() - interval '60 days'`)
    // The course of an attack: it finds a place, is stopped, and goes on for a while.
    await client.query(
      `insert into pumping_history
       select company_id, app_id, since - n * interval '5 minutes', place, level, label,
              threshold * least(1.05, 0.1 + 0.04 * (32 - n)), threshold,
              case when n < 8 then held * (9 - n) / 5 else 0 end, 0, expires_at
         from pumping_history cross join generate_series(1, 32) n
        where company_id = $1 and app_id = $2 and since = (select max(since) from pumping_history where company_id = $1)`,
      [companyId, appId],
    )
  })
