package petrichor.apps.manifest;

/** Requests that the platform sends to an app only if the app asks for them. */
public enum InboundService {
    /** Mail to the app, at {@code /_ah/mail/}. */
    MAIL,
    /** Mail that could not be delivered, at {@code /_ah/bounce}. */
    MAIL_BOUNCE,
    /** A request to {@code /_ah/warmup} before an instance gets others. */
    WARMUP,
    /** Clients of channels that connect and disconnect, at {@code /_ah/channel/}. */
    CHANNEL_PRESENCE
}
