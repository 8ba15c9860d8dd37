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
    CHANNEL_PRESENCE,
    /** Messages of users of XMPP, at {@code /_ah/xmpp/message/}. */
    XMPP_MESSAGE,
    /** Their presence, at {@code /_ah/xmpp/presence/}. */
    XMPP_PRESENCE,
    /** Their subscriptions to the presence of the app, at {@code /_ah/xmpp/subscription/}. */
    XMPP_SUBSCRIBE,
    /** Stanzas of the app that were refused, at {@code /_ah/xmpp/error/}. */
    XMPP_ERROR
}
