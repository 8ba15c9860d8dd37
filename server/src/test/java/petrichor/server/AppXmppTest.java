package petrichor.server;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.apphosting.base.protos.api.RemoteApiPb;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jivesoftware.smack.ConnectionConfiguration.SecurityMode;
import org.jivesoftware.smack.filter.StanzaTypeFilter;
import org.jivesoftware.smack.packet.Message;
import org.jivesoftware.smack.tcp.XMPPTCPConnection;
import org.jivesoftware.smack.tcp.XMPPTCPConnectionConfiguration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.jxmpp.jid.impl.JidCreate;
import petrichor.frontends.appengine.wire.XmppMessageRequest;
import petrichor.frontends.appengine.wire.XmppMessageResponse;
import petrichor.frontends.appengine.wire.XmppPresenceRequest;
import petrichor.server.config.ServerConfig;
import petrichor.server.config.Settings;
import petrichor.testing.process.ProsodyServer;

/** Apps of a server talk with a user over a real XMPP server; the user is its administrator. */
class AppXmppTest {
    private static final String USER = ProsodyServer.ADMIN + "@" + ProsodyServer.DOMAIN;
    private static final int INVALID_JID = 2;

    private final TestApp demo = new TestApp();
    private final TestApp other = new TestApp();
    private final LinkedBlockingQueue<Message> received = new LinkedBlockingQueue<>();
    @TempDir private Path folder;
    private @Nullable ProsodyServer prosody;
    private @Nullable TestServer server;
    private @Nullable XMPPTCPConnection user;

    @BeforeEach
    void start() throws Exception {
        assumeTrue(
                ProsodyServer.installed() || System.getenv("CI") != null,
                "install the package prosody");
        prosody = ProsodyServer.in(folder.resolve("prosody"));
        Map<String, String> settings =
                Map.of(
                        "PETRICHOR_STORE__MEMORY",
                        "true",
                        "PETRICHOR_SERVER__PORT",
                        "0",
                        "PETRICHOR_APPS__TARGETS",
                        "demo=" + demo.url() + ",other=" + other.url(),
                        "PETRICHOR_XMPP__URL",
                        "xmpp+plain://admin@127.0.0.1:"
                                + prosody.port()
                                + "/"
                                + ProsodyServer.DOMAIN,
                        "PETRICHOR_XMPP__PASSWORD",
                        ProsodyServer.PASSWORD);
        server =
                TestServer.of(
                        Server.start(
                                ServerConfig.of(
                                        Settings.read(Optional.empty(), settings, Map.of()))));
        user =
                new XMPPTCPConnection(
                        XMPPTCPConnectionConfiguration.builder()
                                .setXmppDomain(ProsodyServer.DOMAIN)
                                .setHost("127.0.0.1")
                                .setPort(prosody.port())
                                .setUsernameAndPassword(ProsodyServer.ADMIN, ProsodyServer.PASSWORD)
                                .setSecurityMode(SecurityMode.disabled)
                                .build());
        user.addSyncStanzaListener(
                stanza -> received.add((Message) stanza), StanzaTypeFilter.MESSAGE);
        user.connect().login();
    }

    @AfterEach
    void close() {
        if (user != null) {
            user.disconnect();
        }
        if (server != null) {
            server.close();
        }
        if (prosody != null) {
            prosody.close();
        }
        demo.close();
        other.close();
    }

    private RemoteApiPb.Response send(String project, XmppMessageRequest message)
            throws IOException {
        return new BundledCalls(requireNonNull(server).port(), project + "/x")
                .response("xmpp", "SendMessage", message);
    }

    private static XmppMessageRequest message(String body) {
        return XmppMessageRequest.newBuilder().addRecipient(USER).setBody(body).build();
    }

    @Test
    void appsAndAUserTalk() throws Exception {
        for (String project : new String[] {"demo", "other"}) {
            XmppMessageResponse sent =
                    XmppMessageResponse.parseFrom(
                            BundledCalls.successful(send(project, message("from " + project))));
            assertThat(sent.getStatusList()).containsExactly(XmppMessageResponse.Status.NO_ERROR);
            Message arrived = received.poll(1, TimeUnit.MINUTES);
            assertThat(arrived).isNotNull();
            assertThat(arrived.getBody()).isEqualTo("from " + project);
            assertThat(arrived.getFrom().asBareJid().toString())
                    .isEqualTo(project + "@" + ProsodyServer.DOMAIN);
        }
        XMPPTCPConnection connection = requireNonNull(user);
        connection.sendStanza(
                connection
                        .getStanzaFactory()
                        .buildMessageStanza()
                        .to(JidCreate.from("demo@" + ProsodyServer.DOMAIN))
                        .ofType(Message.Type.chat)
                        .setBody("hello\r\n--demo")
                        .build());
        TestApp.Arrival arrival = demo.next();
        while (!arrival.path().equals("/_ah/xmpp/message/chat/")) {
            arrival = demo.next();
        }
        assertThat(arrival.header("content-type")).startsWith("multipart/form-data; boundary=");
        assertThat(arrival.header("x-appengine-api-ticket")).isNotEmpty();
        assertThat(arrival.body())
                .contains("name=\"from\"", USER + "/", "name=\"body\"", "hello")
                .contains("name=\"to\"", "name=\"stanza\"", "<message");
        assertThat(other.arrived()).doesNotContain("/_ah/xmpp/message/chat/");
    }

    @Test
    void anAppDoesNotSendAsAnother() throws Exception {
        RemoteApiPb.Response response =
                send(
                        "other",
                        message("stolen").toBuilder()
                                .setSender("demo@" + ProsodyServer.DOMAIN + "/bot")
                                .build());
        assertThat(response.getApplicationError().getCode()).isEqualTo(INVALID_JID);
        assertThat(received).isEmpty();
    }

    @Test
    void invalidAddressesAreErrorsOfTheApi() throws Exception {
        RemoteApiPb.Response response =
                new BundledCalls(requireNonNull(server).port(), "demo/x")
                        .response(
                                "xmpp",
                                "GetPresence",
                                XmppPresenceRequest.newBuilder().setUser("nothing").build());
        assertThat(response.getApplicationError().getCode()).isEqualTo(INVALID_JID);
    }

    @Test
    void theErrorWithoutAnXmppServerNamesTheSetting() throws Exception {
        try (TestServer without = TestServer.start()) {
            RemoteApiPb.Response response =
                    new BundledCalls(without.port(), "demo/x")
                            .response("xmpp", "SendMessage", message("hi"));
            assertThat(response.toString()).contains("xmpp.url");
        }
    }
}
