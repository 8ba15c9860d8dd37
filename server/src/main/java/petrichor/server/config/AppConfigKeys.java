package petrichor.server.config;

import static petrichor.server.config.SettingKind.*;

import petrichor.server.config.ConfigKey.Definition;

/** The keys of the sections for apps and their services. */
final class AppConfigKeys {
    private AppConfigKeys() {}

    static final Definition APPS_DEFAULT_PROJECT =
            new Definition(
                    "apps.default-project",
                    TEXT,
                    "app",
                    "App of API calls in development whose ticket names none.");
    static final Definition APPS_TARGETS =
            new Definition(
                    "apps.targets",
                    OPTIONAL,
                    "",
                    "Comma-separated PROJECT=URL, such as demo=http://127.0.0.1:8080: where the"
                            + " server sends the tasks and other requests of each app.");
    static final Definition APPS_PORT =
            new Definition("apps.port", PORT, "8080", "Port of deployed apps. 0: a free one.");
    static final Definition APPS_TLS_PORT =
            new Definition("apps.tls-port", PORT, "0", "Port of apps over TLS. 0: none.");
    static final Definition APPS_ACME_DIRECTORY =
            new Definition(
                    "apps.acme-directory",
                    OPTIONAL,
                    "",
                    "Directory of the ACME server that issues certificates for domains of apps,"
                            + " such as https://acme-v02.api.letsencrypt.org/directory.");
    static final Definition APPS_ACME_EMAIL =
            new Definition(
                    "apps.acme-email", OPTIONAL, "", "Address for notices of the ACME server.");
    static final Definition APPS_ACME_ACCEPT_TERMS =
            new Definition(
                    "apps.acme-accept-terms",
                    FLAG,
                    "false",
                    "Whether you accept the terms of service of the ACME server.");
    static final Definition APPS_ACME_AUTHORITY =
            new Definition(
                    "apps.acme-authority",
                    PATH,
                    "",
                    "PEM file of the authority of the ACME server itself, if Java does not trust"
                            + " it.");
    static final Definition APPS_TRUSTED_PROXIES =
            new Definition(
                    "apps.trusted-proxies",
                    OPTIONAL,
                    "",
                    "Comma-separated addresses and blocks, such as 10.1.0.0/16, of proxies in front"
                            + " of the apps' ports that name the client in X-Forwarded-For and"
                            + " -Proto.");
    static final Definition APPS_DOMAIN =
            new Definition("apps.domain", TEXT, "localhost", "Domain of apps: APP.DOMAIN.");
    static final Definition APPS_FOLDER =
            new Definition("apps.folder", PATH, "", "Builds of apps; not in a private folder.");
    static final Definition APPS_REACHABLE =
            new Definition(
                    "apps.reachable",
                    OPTIONAL,
                    "",
                    "Comma-separated ADDRESS:PORT of servers of this machine that deployed apps may"
                            + " connect to, such as 127.0.0.1:5432; besides the platform's own.");
    static final Definition APPS_QUOTAS =
            new Definition(
                    "apps.quotas",
                    OPTIONAL,
                    "",
                    "Quotas of apps that have none of their own, such as requests=6000/min,"
                            + " storage=2GiB.");
    static final Definition TASKS_DELIVERIES_MAX =
            new Definition(
                    "tasks.deliveries-max",
                    COUNT,
                    "500",
                    "Tasks of apps that are delivered at one time. Queues have limits of their"
                            + " own.");
    static final Definition TASKS_RABBITMQ =
            new Definition(
                    "tasks.rabbitmq",
                    SECRET,
                    "",
                    "RabbitMQ that distributes tasks over all servers, such as"
                            + " amqp://USER:PASSWORD@HOST:5672/VHOST; several nodes separated by"
                            + " commas. Empty: the owner of a project delivers its tasks.");
    static final Definition CACHE_MEMORY =
            new Definition(
                    "cache.memory",
                    MEMORY,
                    "64 MiB",
                    "Memory for the cache of all apps, within server.memory-percent.");
    static final Definition CACHE_MEMCACHED =
            new Definition(
                    "cache.memcached",
                    OPTIONAL,
                    "",
                    "Comma-separated HOST:PORT of memcached servers for the cache of all apps, the"
                            + " same on all servers. Empty: the memory of cache.memory.");
    static final Definition FETCH_ALLOW =
            new Definition(
                    "fetch.allow",
                    OPTIONAL,
                    "",
                    "Comma-separated HOST, *.DOMAIN, ADDRESS or ADDRESS/BITS, each with or without"
                            + " :PORT: servers without public addresses that apps may fetch from.");
    static final Definition FETCH_CONCURRENCY =
            new Definition(
                    "fetch.concurrency", COUNT, "50", "URLs that one app may fetch at one time.");
    static final Definition MAIL_URL =
            new Definition(
                    "mail.url",
                    SECRET,
                    "",
                    "Server that sends mails of apps: smtp://USER@HOST:587 (STARTTLS),"
                        + " smtps://USER@HOST (TLS) or smtp+plain://HOST. Empty: mails are kept and"
                        + " not sent.");
    static final Definition MAIL_PASSWORD =
            new Definition("mail.password", SECRET, "", "Password for the user of mail.url.");
    static final Definition MAIL_PASSWORD_FILE =
            new Definition(
                    "mail.password-file", PATH, "", "File whose first line is the password.");
    static final Definition MAIL_SENDERS =
            new Definition(
                    "mail.senders",
                    OPTIONAL,
                    "",
                    "Comma-separated addresses, or *@DOMAIN, from which every app may send.");
    static final Definition MAIL_RATE =
            new Definition("mail.rate", COUNT, "100", "Mails that one app may send in a minute.");
    static final Definition MAIL_INBOUND_PORT =
            new Definition(
                    "mail.inbound-port",
                    PORT,
                    "0",
                    "Port that receives mails for apps over SMTP. 0: none are received.");
    static final Definition MAIL_INBOUND_DOMAINS =
            new Definition(
                    "mail.inbound-domains",
                    TEXT,
                    "appspotmail.com",
                    "Comma-separated domains; anything@PROJECT.DOMAIN is an address of the app"
                            + " PROJECT.");
    static final Definition USERS_SESSION =
            new Definition(
                    "users.session", DURATION, "24h", "How long users of apps stay signed in.");
    static final Definition USERS_LOGIN_URL =
            new Definition(
                    "users.login-url",
                    OPTIONAL,
                    "",
                    "Beginning of the URLs of the sign-in pages, such as http://localhost:8081."
                            + " Empty: they are on the host of each app.");
    static final Definition USERS_OPENID =
            new Definition(
                    "users.openid",
                    OPTIONAL,
                    "",
                    "URL of the OpenID provider (issuer) where users may sign in. Empty: none.");
    static final Definition USERS_OPENID_CLIENT =
            new Definition(
                    "users.openid-client", OPTIONAL, "", "Id of this server at the provider.");
    static final Definition USERS_OPENID_SECRET =
            new Definition(
                    "users.openid-secret", SECRET, "", "Secret of this server at the provider.");
    static final Definition USERS_OPENID_DOMAINS =
            new Definition(
                    "users.openid-domains",
                    OPTIONAL,
                    "",
                    "Comma-separated domains of addresses that may sign in at the provider. Empty:"
                            + " all.");
    static final Definition USERS_LDAP =
            new Definition(
                    "users.ldap",
                    OPTIONAL,
                    "",
                    "Directory that checks passwords of users, such as"
                        + " ldaps://HOST/dc=example,dc=com?mail with the base and the attribute of"
                        + " the address. Empty: none.");
    static final Definition USERS_LDAP_USER =
            new Definition(
                    "users.ldap-user",
                    OPTIONAL,
                    "",
                    "Name (DN) that searches the directory. Empty: anonymous.");
    static final Definition USERS_LDAP_PASSWORD =
            new Definition("users.ldap-password", SECRET, "", "Password for users.ldap-user.");
    static final Definition CHANNELS_PER_APP =
            new Definition("channels.per-app", COUNT, "10000", "Channels of one app at one time.");
    static final Definition XMPP_URL =
            new Definition(
                    "xmpp.url",
                    SECRET,
                    "",
                    "Server for chats: xmpp://ADMIN@HOST:5222/DOMAIN (STARTTLS) or xmpp+plain://…");
    static final Definition XMPP_PASSWORD =
            new Definition("xmpp.password", SECRET, "", "Password for the account of xmpp.url.");
    static final Definition XMPP_PASSWORD_FILE =
            new Definition("xmpp.password-file", PATH, "", "File with this password.");
    static final Definition XMPP_AUTHORITY =
            new Definition(
                    "xmpp.authority", PATH, "", "Trusted certificates. Empty: the system's.");
    static final Definition XMPP_RATE =
            new Definition("xmpp.rate", COUNT, "6000", "Stanzas that one app sends per minute.");
    static final Definition SEARCH_FOLDER =
            new Definition(
                    "search.folder",
                    PATH,
                    "",
                    "Folder for the search indexes of apps, which are rebuilt if it is lost. Empty:"
                        + " the folder search in the data folder, or a temporary one if the data is"
                        + " in memory or in another store.");
    static final Definition STORAGE_FOLDER =
            new Definition(
                    "storage.folder",
                    PATH,
                    "",
                    "Folder for the contents of objects; in a cluster, one that all servers share."
                        + " Empty: the folder blobs in the data folder, a temporary one if the data"
                        + " is in memory, or rows of the store of store.url.");
    static final Definition STORAGE_BUCKET =
            new Definition(
                    "storage.bucket",
                    OPTIONAL,
                    "",
                    "Bucket for the contents of objects instead of a folder, in Amazon S3 or a"
                        + " server with its protocol:"
                        + " s3://BUCKET/PREFIX?region=REGION&endpoint=URL, of which only the bucket"
                        + " is required. Credentials come from AWS_ACCESS_KEY_ID and"
                        + " AWS_SECRET_ACCESS_KEY or wherever else Amazon's SDK finds them.");
}
