package petrichor.services.users;

import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPConnectionOptions;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import javax.net.SocketFactory;
import javax.net.ssl.SSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks passwords at an LDAP directory: searches the user's entry by the address, then binds as
 * that entry with the password. A connection per sign-in. Thread-safe; blocks.
 */
public final class LdapDirectory implements Directory {
    private static final Logger LOG = LoggerFactory.getLogger(LdapDirectory.class);

    /** Two entries with one address are one too many. */
    private static final int ENTRIES_MAX = 2;

    private final LdapSettings settings;
    private final SocketFactory sockets;

    public LdapDirectory(LdapSettings settings) {
        this(settings, sockets(settings.security()));
    }

    LdapDirectory(LdapSettings settings, SocketFactory sockets) {
        this.settings = settings;
        this.sockets = sockets;
    }

    private static SocketFactory sockets(LdapSettings.Security security) {
        try {
            return switch (security) {
                case NONE -> SocketFactory.getDefault();
                case TLS -> SSLContext.getDefault().getSocketFactory();
            };
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java runtime has no TLS", e);
        }
    }

    @Override
    public boolean verify(String email, String password) {
        // LDAP takes a bind without a password as an anonymous one, which succeeds.
        if (password.isEmpty()) {
            return false;
        }
        try (LDAPConnection connection = connect()) {
            String entry = find(connection, email);
            if (entry.isEmpty()) {
                return false;
            }
            connection.bind(entry, password);
            return true;
        } catch (LDAPException e) {
            if (!ResultCode.INVALID_CREDENTIALS.equals(e.getResultCode())) {
                LOG.warn("directory {}: {}", settings.host(), e.getResultCode());
            }
            return false;
        }
    }

    private LDAPConnection connect() throws LDAPException {
        LDAPConnectionOptions options = new LDAPConnectionOptions();
        options.setConnectTimeoutMillis((int) LdapSettings.CONNECT_MAX.toMillis());
        options.setResponseTimeoutMillis(LdapSettings.ANSWER_MAX.toMillis());
        options.setFollowReferrals(false);
        if (settings.security() == LdapSettings.Security.TLS) {
            options.setSSLSocketVerifier(
                    new com.unboundid.util.ssl.HostNameSSLSocketVerifier(true));
        }
        return new LDAPConnection(sockets, options, settings.host(), settings.port());
    }

    /** The name of the entry; empty if there is none, or more than one. */
    private String find(LDAPConnection connection, String email) throws LDAPException {
        if (!settings.searcher().dn().isEmpty()) {
            connection.bind(settings.searcher().dn(), settings.searcher().password());
        }
        SearchRequest search =
                new SearchRequest(
                        settings.base(),
                        SearchScope.SUB,
                        // Escapes what has a meaning in filters.
                        Filter.createEqualityFilter(settings.attribute(), email),
                        SearchRequest.NO_ATTRIBUTES);
        search.setSizeLimit(ENTRIES_MAX);
        SearchResult found = connection.search(search);
        List<SearchResultEntry> entries = found.getSearchEntries();
        return entries != null && entries.size() == 1 ? entries.getFirst().getDN() : "";
    }
}
