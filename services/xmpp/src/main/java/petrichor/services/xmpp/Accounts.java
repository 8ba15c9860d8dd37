package petrichor.services.xmpp;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jivesoftware.smack.ConnectionConfiguration.SecurityMode;
import org.jivesoftware.smack.SmackException;
import org.jivesoftware.smack.XMPPException;
import org.jivesoftware.smack.packet.StanzaError;
import org.jivesoftware.smack.tcp.XMPPTCPConnection;
import org.jivesoftware.smack.tcp.XMPPTCPConnectionConfiguration;
import org.jivesoftware.smackx.admin.ServiceAdministrationManager;
import org.jxmpp.jid.EntityBareJid;
import org.jxmpp.jid.impl.JidCreate;
import org.jxmpp.jid.parts.Resourcepart;
import org.jxmpp.stringprep.XmppStringprepException;
import org.jxmpp.util.XmppStringUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * The accounts of apps on the XMPP server. Passwords are derived from the administrator's, so that
 * every server of a cluster knows them without storing them. An account that exists with another
 * password is never changed: it may belong to a user. Thread-safe; blocks.
 */
final class Accounts {
    private static final Logger LOG = LoggerFactory.getLogger(Accounts.class);
    private static final String ALGORITHM = "HmacSHA256";

    /** App Engine's resource of apps. */
    private static final String RESOURCE = "bot";

    private final XmppSettings settings;

    Accounts(XmppSettings settings) {
        this.settings = settings;
    }

    /**
     * {@code PROJECT@DOMAIN}; characters that addresses must not contain are escaped (XEP-0106).
     */
    EntityBareJid address(String project) {
        try {
            return JidCreate.entityBareFrom(
                    XmppStringUtils.escapeLocalpart(project) + "@" + settings.domain());
        } catch (XmppStringprepException | IllegalArgumentException invalid) {
            throw PetrichorException.invalid(
                    "the app {project} cannot have an XMPP address; use letters, digits and"
                            + " hyphens in its id",
                    "project",
                    project);
        }
    }

    /** Not connected yet. */
    XMPPTCPConnection connection(EntityBareJid address) {
        return connection(address.getLocalpart().toString(), password(address), RESOURCE);
    }

    /** FAILED_PRECONDITION if the account exists already. */
    void create(EntityBareJid address) throws InterruptedException {
        XmppSettings.Login admin = settings.admin();
        XMPPTCPConnection connection =
                connection(admin.user(), admin.password(), "petrichor-" + address.getLocalpart());
        try {
            connection.connect().login();
            ServiceAdministrationManager.getInstanceFor(connection)
                    .addUser(address, password(address));
            LOG.info("created the XMPP account {}", address);
        } catch (XMPPException.XMPPErrorException refused) {
            throw refused(address, refused);
        } catch (XMPPException | SmackException | IOException failed) {
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE,
                    failed,
                    "could not create the account {address} as {admin}: {why}; check xmpp.url and"
                            + " that this account is an administrator of the XMPP server",
                    "address",
                    address,
                    "admin",
                    admin.user(),
                    "why",
                    String.valueOf(failed.getMessage()));
        } finally {
            connection.instantShutdown();
        }
    }

    private static PetrichorException refused(
            EntityBareJid address, XMPPException.XMPPErrorException refused) {
        return refused.getStanzaError().getCondition() == StanzaError.Condition.conflict
                ? existing(address, refused)
                : PetrichorException.of(
                        ErrorCode.FAILED_PRECONDITION,
                        refused,
                        "the XMPP server does not create the account {address}: {why}",
                        "address",
                        address,
                        "why",
                        String.valueOf(refused.getMessage()));
    }

    static PetrichorException existing(EntityBareJid address, XMPPException cause) {
        return PetrichorException.of(
                ErrorCode.FAILED_PRECONDITION,
                cause,
                "the account {address} exists with another password; delete it, or use a domain"
                        + " without other accounts in xmpp.url",
                "address",
                address);
    }

    private String password(EntityBareJid address) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(
                    new SecretKeySpec(
                            settings.admin().password().getBytes(StandardCharsets.UTF_8),
                            ALGORITHM));
            byte[] derived =
                    mac.doFinal(
                            ("petrichor xmpp account " + address).getBytes(StandardCharsets.UTF_8));
            return Base64.getUrlEncoder().withoutPadding().encodeToString(derived);
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private XMPPTCPConnection connection(String user, String password, String resource) {
        try {
            XMPPTCPConnectionConfiguration.Builder configuration =
                    XMPPTCPConnectionConfiguration.builder()
                            .setXmppDomain(settings.domain())
                            .setHostAddress(InetAddress.getByName(settings.host()))
                            .setPort(settings.port())
                            .setUsernameAndPassword(user, password)
                            .setResource(Resourcepart.from(resource))
                            .setConnectTimeout((int) XmppLimits.CONNECT_MAX.toMillis())
                            .setCompressionEnabled(false)
                            .setSecurityMode(
                                    settings.security() == XmppSettings.Security.STARTTLS
                                            ? SecurityMode.required
                                            : SecurityMode.disabled);
            if (settings.authority().isPresent()) {
                configuration.setCustomX509TrustManager(trusting(settings.authority().get()));
            }
            XMPPTCPConnection connection = new XMPPTCPConnection(configuration.build());
            connection.setReplyTimeout(XmppLimits.ANSWER_MAX.toMillis());
            return connection;
        } catch (IOException failed) {
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE,
                    failed,
                    "the XMPP server {host} cannot be used: {why}; check xmpp.url",
                    "host",
                    settings.host(),
                    "why",
                    String.valueOf(failed.getMessage()));
        }
    }

    private static X509TrustManager trusting(Path authority) {
        try (var file = Files.newInputStream(authority)) {
            KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
            trusted.load(null, null);
            for (Certificate certificate :
                    CertificateFactory.getInstance("X.509").generateCertificates(file)) {
                trusted.setCertificateEntry("authority-" + trusted.size(), certificate);
            }
            TrustManagerFactory managers =
                    TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            managers.init(trusted);
            return Arrays.stream(managers.getTrustManagers())
                    .filter(X509TrustManager.class::isInstance)
                    .map(X509TrustManager.class::cast)
                    .findFirst()
                    .orElseThrow();
        } catch (IOException | GeneralSecurityException unreadable) {
            throw PetrichorException.of(
                    ErrorCode.INVALID_ARGUMENT,
                    unreadable,
                    "xmpp.authority-file {file} cannot be read; it must contain certificates in PEM"
                            + " format",
                    "file",
                    authority);
        }
    }
}
