package petrichor.services.users;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.listener.InMemoryDirectoryServer;
import com.unboundid.ldap.listener.InMemoryDirectoryServerConfig;
import com.unboundid.ldap.listener.InMemoryListenerConfig;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldif.LDIFException;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;

/** Against UnboundID's directory server in memory. */
final class LdapDirectoryTest {
    @Test
    void aUserOfTheDirectorySignsInWithItsPassword() throws Exception {
        InMemoryDirectoryServer server = server();
        try {
            Directory directory =
                    directory(
                            server.getListenPort(), new LdapSettings.Bind("cn=searcher", "search"));
            assertThat(directory.verify("ann@example.com", "secret of ann")).isTrue();
            assertThat(directory.verify("ann@example.com", "wrong")).isFalse();
            assertThat(directory.verify("ann@example.com", "")).as("an anonymous bind").isFalse();
            assertThat(directory.verify("bob@example.com", "secret of ann")).isFalse();
            assertThat(directory.verify("*", "secret of ann")).as("a filter").isFalse();
            assertThat(directory.verify("*)(uid=*", "secret of ann")).isFalse();
            assertThat(directory.verify("twice@example.com", "secret of twice"))
                    .as("two entries")
                    .isFalse();
            assertThat(
                            directory(
                                            server.getListenPort(),
                                            new LdapSettings.Bind("cn=searcher", "wrong"))
                                    .verify("ann@example.com", "secret of ann"))
                    .isFalse();
        } finally {
            server.shutDown(true);
        }
        assertThat(
                        directory(server.getListenPort(), LdapSettings.Bind.ANONYMOUS)
                                .verify("ann@example.com", "secret of ann"))
                .as("no server")
                .isFalse();
    }

    private static Directory directory(int port, LdapSettings.Bind searcher) {
        return new LdapDirectory(
                new LdapSettings(
                        "127.0.0.1",
                        port,
                        LdapSettings.Security.NONE,
                        "dc=example,dc=com",
                        "mail",
                        searcher));
    }

    private static InMemoryDirectoryServer server() throws LDAPException, LDIFException {
        InMemoryDirectoryServerConfig config =
                new InMemoryDirectoryServerConfig("dc=example,dc=com");
        config.setListenerConfigs(
                new InMemoryListenerConfig(
                        "test", InetAddress.getLoopbackAddress(), 0, null, null, null));
        config.addAdditionalBindCredentials("cn=searcher", "search");
        InMemoryDirectoryServer server = new InMemoryDirectoryServer(config);
        server.add("dn: dc=example,dc=com", "objectClass: domain", "dc: example");
        for (String name : new String[] {"ann", "twice1", "twice2"}) {
            String mail = name.startsWith("twice") ? "twice" : name;
            server.add(
                    "dn: uid=" + name + ",dc=example,dc=com",
                    "objectClass: inetOrgPerson",
                    "uid: " + name,
                    "cn: " + name,
                    "sn: " + name,
                    "mail: " + mail + "@example.com",
                    "userPassword: secret of " + mail);
        }
        server.startListening();
        return server;
    }
}
