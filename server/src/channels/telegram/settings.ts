export { TELEGRAM_BASE_URL, type TelegramSettings, telegramSettings } from '@countersign/contract'
