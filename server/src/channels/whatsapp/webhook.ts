/** The shape of Cloud API notifications, as far as we read them. Meta adds fields and kinds without notice. */
import { z } from 'zod'

// What a status is about and what became of it are certain; details of an unknown shape must not lose them.
export const detail = z.string().optional().catch(undefined)
export const errorCode = z.union([z.number(), z.string().pipe(z.coerce.number<string>().int().positive())])
const errorReport = z.object({
  code: errorCode,
  title: detail,
  message: detail,
})

const status = z.object({
  id: z.string().min(1),
  status: z.string(),
  biz_opaque_callback_data: detail,
  errors: z.array(errorReport.optional().catch(undefined)).optional().catch(undefined),
})

const reply = z.object({ title: z.string() }).optional().catch(undefined)

const message = z.object({
  id: z.string().min(1),
  from: detail,
  type: z.string(),
  text: z.object({ body: z.string() }).optional().catch(undefined),
  button: z.object({ text: z.string() }).optional().catch(undefined),
  interactive: z.object({ button_reply: reply, list_reply: reply }).optional().catch(undefined),
})

// `null` and anything else that is no list count as an empty one: what stands beside it must not be lost.
const list = z.array(z.unknown()).catch([])

const value = z.object({
  metadata: z.object({ phone_number_id: z.string() }),
  statuses: list,
  messages: list,
})

const notification = z.object({ entry: z.array(z.unknown()).default([]) })
const entry = z.object({ changes: list })
const change = z.object({ value: z.unknown() })

/** The limit for entries, changes, statuses and messages each: Meta puts at most 1,000 updates into a notification. */
const MAX_ITEMS = 1_000

export type WhatsappStatus = z.infer<typeof status>
export type WhatsappMessage = z.infer<typeof message>

/** Null if it is not a notification. Other kinds and numbers are left out; if there are other numbers, it is shared. */
export function readNotification(
  body: unknown,
  phoneNumberId: string,
): { statuses: WhatsappStatus[]; messages: WhatsappMessage[]; isShared: boolean } | null {
  const parsed = notification.safeParse(body)
  if (!parsed.success) return null
  const entries = valid(entry, parsed.data.entry)
  const changes = valid(
    change,
    entries.flatMap((candidate) => candidate.changes),
  )
  const all = valid(
    value,
    changes.map((candidate) => candidate.value),
  )
  const values = all.filter((candidate) => candidate.metadata.phone_number_id === phoneNumberId)
  return {
    statuses: valid(
      status,
      values.flatMap((candidate) => candidate.statuses),
    ),
    messages: valid(
      message,
      values.flatMap((candidate) => candidate.messages),
    ),
    isShared: values.length < all.length,
  }
}

// One item of an unknown shape must not lose the rest of its batch.
function valid<Item>(schema: z.ZodType<Item>, candidates: readonly unknown[]): Item[] {
  return candidates.slice(0, MAX_ITEMS).flatMap((candidate) => {
    const parsed = schema.safeParse(candidate)
    return parsed.success ? [parsed.data] : []
  })
}
