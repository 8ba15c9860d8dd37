package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jivesoftware.smack.ConnectionConfiguration.SecurityMode;
import org.jivesoftware.smack.packet.Message;
import org.jivesoftware.smack.tcp.XMPPTCPConnection;
import org.jivesoftware.smack.tcp.XMPPTCPConnectionConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.jxmpp.jid.impl.JidCreate;
import petrichor.testing.process.ProsodyServer;

/** A message over a real XMPP server to a deployed app, which has not called the API before. */
class DeployedXmppTest {
    private static final Duration WITHIN = Duration.ofMinutes(1);

    @TempDir private Path folder;

    @Test
    void aMessageReachesADeployedApp() throws Exception {
        assumeTrue(
                ProsodyServer.installed() || System.getenv("CI") != null,
                "install the package prosody");
        try (ProsodyServer prosody = ProsodyServer.in(folder.resolve("prosody"));
                HostingServer server =
                        HostingServer.in(
                                folder,
                                Map.of(
                                        "PETRICHOR_XMPP__URL",
                                        "xmpp+plain://admin@127.0.0.1:"
                                                + prosody.port()
                                                + "/"
                                                + ProsodyServer.DOMAIN,
                                        "PETRICHOR_XMPP__PASSWORD",
                                        ProsodyServer.PASSWORD))) {
            assertThat(server.deploy("project=demo", DeployedServicesTest.files()).has("deployed"))
                    .isTrue();
            XMPPTCPConnection user =
                    new XMPPTCPConnection(
                            XMPPTCPConnectionConfiguration.builder()
                                    .setXmppDomain(ProsodyServer.DOMAIN)
                                    .setHost("127.0.0.1")
                                    .setPort(prosody.port())
                                    .setUsernameAndPassword(
                                            ProsodyServer.ADMIN, ProsodyServer.PASSWORD)
                                    .setSecurityMode(SecurityMode.disabled)
                                    .build());
            user.connect().login();
            try {
                String log = "";
                Instant end = Instant.now().plus(WITHIN);
                while (!log.contains("post /_ah/xmpp/message/chat/")) {
                    assertThat(Instant.now()).as(log).isBefore(end);
                    // The XMPP server refuses messages until the app has an account.
                    user.sendStanza(
                            user.getStanzaFactory()
                                    .buildMessageStanza()
                                    .to(JidCreate.from("demo@" + ProsodyServer.DOMAIN))
                                    .ofType(Message.Type.chat)
                                    .setBody("hello, app")
                                    .build());
                    log = server.send(server.request("/petrichor/v1/apps/demo/log")).body();
                }
                assertThat(log).contains("hello, app");
            } finally {
                user.disconnect();
            }
        }
    }
}
