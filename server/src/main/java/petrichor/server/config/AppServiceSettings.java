package petrichor.server.config;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.services.blobs.s3.S3Address;
import petrichor.services.fetch.FetchAllowlist;
import petrichor.services.mail.SmtpSettings;
import petrichor.services.users.LdapSettings;
import petrichor.services.users.OpenIdSettings;
import petrichor.services.xmpp.XmppSettings;

/** Settings of URL fetch, mail, users, search, channels, objects and XMPP of apps. */
public record AppServiceSettings(
        Fetch fetch,
        Mail mail,
        Users users,
        Search search,
        Channels channels,
        Storage storage,
        Optional<ChatServer> xmpp) {
    private static final int SMTP_PORT = 587;
    private static final int SMTPS_PORT = 465;
    private static final int PLAIN_SMTP_PORT = 25;
    private static final int LDAP_PORT = 389;
    private static final int LDAPS_PORT = 636;
    private static final int XMPP_PORT = 5222;

    /**
     * @param concurrency fetches of one app at once
     */
    public record Fetch(FetchAllowlist allowed, int concurrency) {}

    /**
     * @param rate mails of one app in a minute
     * @param inboundPort 0 for none
     */
    public record Mail(
            Optional<SmtpSettings> server,
            List<String> senders,
            int rate,
            int inboundPort,
            List<String> inboundDomains) {}

    /**
     * @param loginUrl empty if the pages are on each app's host
     */
    public record Users(
            Duration session,
            String loginUrl,
            Optional<OpenIdSettings> openId,
            Optional<LdapSettings> ldap) {}

    /**
     * @param folder of the search indexes; empty for the default
     */
    public record Search(Optional<Path> folder) {}

    /**
     * @param perApp channels of one app at one time
     */
    public record Channels(int perApp) {}

    /** Where the contents of objects are; the default if both are empty. */
    public record Storage(Optional<Path> folder, Optional<S3Address> bucket) {}

    /**
     * @param rate messages and presences of one app in a minute
     */
    public record ChatServer(XmppSettings server, int rate) {}

    static AppServiceSettings of(Settings from) {
        return new AppServiceSettings(
                new Fetch(
                        FetchAllowlist.parse(list(from, ConfigKey.FETCH_ALLOW)),
                        count(from, ConfigKey.FETCH_CONCURRENCY)),
                new Mail(
                        from.text(ConfigKey.MAIL_URL).map(url -> smtp(url, from)),
                        list(from, ConfigKey.MAIL_SENDERS),
                        count(from, ConfigKey.MAIL_RATE),
                        count(from, ConfigKey.MAIL_INBOUND_PORT),
                        list(from, ConfigKey.MAIL_INBOUND_DOMAINS)),
                new Users(
                        SettingValue.duration(from.value(ConfigKey.USERS_SESSION)),
                        from.value(ConfigKey.USERS_LOGIN_URL).replaceFirst("/+$", ""),
                        from.text(ConfigKey.USERS_OPENID).map(url -> openId(url, from)),
                        from.text(ConfigKey.USERS_LDAP).map(url -> ldap(url, from))),
                new Search(from.path(ConfigKey.SEARCH_FOLDER)),
                new Channels(count(from, ConfigKey.CHANNELS_PER_APP)),
                storage(from),
                from.text(ConfigKey.XMPP_URL)
                        .map(
                                url ->
                                        new ChatServer(
                                                xmpp(url, from),
                                                count(from, ConfigKey.XMPP_RATE))));
    }

    private static Storage storage(Settings from) {
        Storage storage =
                new Storage(
                        from.path(ConfigKey.STORAGE_FOLDER),
                        from.text(ConfigKey.STORAGE_BUCKET).map(S3Address::parse));
        if (storage.folder().isPresent() && storage.bucket().isPresent()) {
            throw PetrichorException.invalid(
                    "storage.folder and storage.bucket are both set; objects are in one of them");
        }
        return storage;
    }

    private static List<String> list(Settings from, ConfigKey key) {
        return Arrays.stream(from.value(key).split(",", -1))
                .map(String::strip)
                .filter(part -> !part.isEmpty())
                .toList();
    }

    private static int count(Settings from, ConfigKey key) {
        return Math.toIntExact(SettingValue.whole(from.value(key)));
    }

    private static SmtpSettings smtp(String text, Settings from) {
        URI url = url(text);
        String scheme = url == null ? "" : String.valueOf(url.getScheme());
        SmtpSettings.Security security =
                switch (scheme) {
                    case "smtp" -> SmtpSettings.Security.STARTTLS;
                    case "smtps" -> SmtpSettings.Security.TLS;
                    case "smtp+plain" -> SmtpSettings.Security.NONE;
                    default ->
                            throw PetrichorException.invalid(
                                    "mail.url must be smtp://USER@HOST:PORT, smtps://USER@HOST:PORT"
                                            + " or smtp+plain://HOST:PORT");
                };
        int standard =
                switch (security) {
                    case STARTTLS -> SMTP_PORT;
                    case TLS -> SMTPS_PORT;
                    case NONE -> PLAIN_SMTP_PORT;
                };
        URI known = java.util.Objects.requireNonNull(url);
        return new SmtpSettings(
                known.getHost(),
                known.getPort() < 0 ? standard : known.getPort(),
                security,
                Optional.ofNullable(known.getUserInfo())
                        .map(user -> new SmtpSettings.Login(user, mailPassword(from))));
    }

    private static String mailPassword(Settings from) {
        return password(from, ConfigKey.MAIL_PASSWORD_FILE, ConfigKey.MAIL_PASSWORD);
    }

    private static String password(Settings from, ConfigKey inFile, ConfigKey value) {
        return from.path(inFile)
                .map((Path file) -> StoreAddress.firstLine(file))
                .orElseGet(() -> from.value(value));
    }

    private static XmppSettings xmpp(String text, Settings from) {
        URI url = url(text);
        boolean plain = url != null && "xmpp+plain".equals(url.getScheme());
        if (url == null
                || !(plain || "xmpp".equals(url.getScheme()))
                || url.getUserInfo() == null
                || url.getPath().replaceFirst("^/", "").isEmpty()) {
            throw PetrichorException.invalid(
                    "xmpp.url must be xmpp://ADMIN@HOST:PORT/DOMAIN or xmpp+plain://…, such as"
                            + " xmpp://admin@chat.example/apps.example");
        }
        return new XmppSettings(
                url.getHost(),
                url.getPort() < 0 ? XMPP_PORT : url.getPort(),
                url.getPath().replaceFirst("^/", ""),
                plain ? XmppSettings.Security.NONE : XmppSettings.Security.STARTTLS,
                new XmppSettings.Login(
                        url.getUserInfo(),
                        password(from, ConfigKey.XMPP_PASSWORD_FILE, ConfigKey.XMPP_PASSWORD)),
                from.path(ConfigKey.XMPP_AUTHORITY));
    }

    private static OpenIdSettings openId(String text, Settings from) {
        URI issuer = url(text);
        String client = from.value(ConfigKey.USERS_OPENID_CLIENT);
        if (issuer == null || client.isEmpty()) {
            throw PetrichorException.invalid(
                    "users.openid must be the URL of a provider such as https://accounts.example,"
                            + " and needs users.openid-client");
        }
        return new OpenIdSettings(
                issuer,
                client,
                from.value(ConfigKey.USERS_OPENID_SECRET),
                list(from, ConfigKey.USERS_OPENID_DOMAINS));
    }

    private static LdapSettings ldap(String text, Settings from) {
        URI url = url(text);
        boolean tls = url != null && "ldaps".equals(url.getScheme());
        if (url == null || !(tls || "ldap".equals(url.getScheme()))) {
            throw PetrichorException.invalid(
                    "users.ldap must be ldaps://HOST:PORT/BASE?ATTRIBUTE or ldap://…, such as"
                            + " ldaps://ldap.example/dc=example,dc=com?mail");
        }
        int standard = tls ? LDAPS_PORT : LDAP_PORT;
        return new LdapSettings(
                url.getHost(),
                url.getPort() < 0 ? standard : url.getPort(),
                tls ? LdapSettings.Security.TLS : LdapSettings.Security.NONE,
                url.getPath().replaceFirst("^/", ""),
                url.getQuery() == null ? "mail" : url.getQuery(),
                new LdapSettings.Bind(
                        from.value(ConfigKey.USERS_LDAP_USER),
                        from.value(ConfigKey.USERS_LDAP_PASSWORD)));
    }

    /** Null if the text is not a URL with a host. */
    private static @Nullable URI url(String text) {
        try {
            URI url = new URI(text);
            return url.getHost() == null ? null : url;
        } catch (URISyntaxException unreadable) {
            return null;
        }
    }
}
