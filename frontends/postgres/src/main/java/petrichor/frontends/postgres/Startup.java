package petrichor.frontends.postgres;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import petrichor.sql.SqlDatabase;
import petrichor.sql.SqlException;
import petrichor.sql.SqlRights;

/**
 * The start of a connection: TLS if the client asks for it, the names of user and database, and the
 * password.
 */
final class Startup {
    private static final int STARTUP_BYTES_MAX = 10_000;
    private static final int SSL_REQUEST = 80877103;
    private static final int GSS_REQUEST = 80877104;
    private static final int CANCEL_REQUEST = 80877102;
    private static final int PROTOCOL_3 = 3;

    /** A client may ask for TLS and for GSS before it starts. */
    private static final int REQUESTS_MAX = 3;

    private final PostgresSettings settings;
    private final Logins logins;
    private final Cancellations cancellations;
    private final byte[] decoySecret;

    /** An authenticated connection. */
    record Started(
            ClientMessages in,
            ServerMessages out,
            SqlDatabase database,
            SqlRights rights,
            String user,
            Map<String, String> parameters) {}

    Startup(
            PostgresSettings settings,
            Logins logins,
            Cancellations cancellations,
            byte[] decoySecret) {
        this.settings = settings;
        this.logins = logins;
        this.cancellations = cancellations;
        this.decoySecret = decoySecret;
    }

    /** Null if the client has disconnected or only cancelled a statement. */
    @Nullable Started start(Socket accepted) throws IOException {
        Socket socket = accepted;
        InputStream plain = new java.io.BufferedInputStream(socket.getInputStream(), 64 << 10);
        ClientMessages in = new ClientMessages(plain, settings.messageBytesMax());
        ServerMessages out = new ServerMessages(socket.getOutputStream());
        for (int requests = 0; requests < REQUESTS_MAX; requests++) {
            ClientMessages.Message message = in.startup(STARTUP_BYTES_MAX);
            if (message == null) {
                return null;
            }
            int version = message.int32();
            switch (version) {
                case SSL_REQUEST -> {
                    Supplier<SSLContext> tls = settings.tls();
                    if (tls == null || socket instanceof SSLSocket) {
                        out.single('N');
                        out.flush();
                    } else {
                        // Bytes that arrived before the handshake could be forged.
                        if (plain.available() > 0) {
                            throw ClientMessages.malformed("data before the TLS handshake");
                        }
                        out.single('S');
                        out.flush();
                        SSLSocket secured =
                                (SSLSocket)
                                        tls.get()
                                                .getSocketFactory()
                                                .createSocket(socket, null, socket.getPort(), true);
                        secured.setUseClientMode(false);
                        secured.startHandshake();
                        socket = secured;
                        OutputStream encrypted = secured.getOutputStream();
                        plain = new java.io.BufferedInputStream(secured.getInputStream(), 64 << 10);
                        in = new ClientMessages(plain, settings.messageBytesMax());
                        out = new ServerMessages(encrypted);
                    }
                }
                case GSS_REQUEST -> {
                    out.single('N');
                    out.flush();
                }
                case CANCEL_REQUEST -> {
                    cancellations.cancel(new Cancellations.Key(message.int32(), message.int32()));
                    return null;
                }
                default -> {
                    return login(in, out, version, message, socket instanceof SSLSocket);
                }
            }
        }
        throw ClientMessages.malformed("too many requests for encryption");
    }

    private @Nullable Started login(
            ClientMessages in,
            ServerMessages out,
            int version,
            ClientMessages.Message message,
            boolean secure)
            throws IOException {
        try {
            if (version >>> 16 != PROTOCOL_3) {
                throw new SqlException(
                        "0A000",
                        "protocol version "
                                + (version >>> 16)
                                + " is not supported; use a client that speaks version 3.0");
            }
            Map<String, String> parameters = parameters(message);
            List<String> unknown =
                    parameters.keySet().stream().filter(name -> name.startsWith("_pq_.")).toList();
            if ((version & 0xFFFF) != 0 || !unknown.isEmpty()) {
                out.protocolVersion(0, new ArrayList<>(unknown));
            }
            String user = parameters.remove("user");
            if (user == null || user.isEmpty()) {
                throw new SqlException("28000", "no user name in the startup packet");
            }
            if (settings.tlsRequired() && !secure) {
                throw new SqlException(
                        "28000",
                        "connections need TLS; set sslmode=require, or better verify-full");
            }
            String password = null;
            if (logins.passwords()) {
                if (secure && logins.passwordsOverTls()) {
                    password = password(in, out);
                    if (password == null) {
                        return null;
                    }
                } else if (!authenticate(in, out, user)) {
                    return null;
                }
            }
            String name = parameters.getOrDefault("database", user);
            parameters.remove("database");
            return switch (logins.admit(user, password, name)) {
                case Logins.Admission.Admitted(SqlDatabase database, SqlRights rights) ->
                        new Started(in, out, database, rights, user, parameters);
                case Logins.Admission.WrongPassword _ -> throw wrongPassword(user);
                case Logins.Admission.NoDatabase _ ->
                        throw new SqlException(
                                "3D000",
                                "database \""
                                        + name
                                        + "\" does not exist, or user \""
                                        + user
                                        + "\" has no role in it");
            };
        } catch (SqlException failed) {
            out.error(failed, true);
            out.flush();
            return null;
        }
    }

    private static Map<String, String> parameters(ClientMessages.Message message) {
        Map<String, String> parameters = new TreeMap<>();
        for (String name = message.text(); !name.isEmpty(); name = message.text()) {
            parameters.put(name, message.text());
        }
        return parameters;
    }

    private static SqlException wrongPassword(String user) {
        return new SqlException(
                "28P01", "password authentication failed for user \"" + user + "\"");
    }

    /** The password itself; null if the client has disconnected. */
    private static @Nullable String password(ClientMessages in, ServerMessages out)
            throws IOException {
        out.authenticationPassword();
        out.flush();
        ClientMessages.Message answer = password(in);
        if (answer == null) {
            return null;
        }
        String password = answer.text();
        answer.end();
        return password;
    }

    private boolean authenticate(ClientMessages in, ServerMessages out, String user)
            throws IOException {
        byte[] decoy = ScramVerifier.hmac(decoySecret, user.getBytes(StandardCharsets.UTF_8));
        ScramExchange exchange =
                new ScramExchange(logins.verifier(user), java.util.Arrays.copyOf(decoy, 16));
        out.authenticationSasl(ScramExchange.MECHANISM);
        out.flush();
        ClientMessages.Message first = password(in);
        if (first == null) {
            return false;
        }
        try {
            String mechanism = first.text();
            byte[] initial = first.bytes();
            if (!mechanism.equals(ScramExchange.MECHANISM) || initial == null) {
                throw ClientMessages.malformed("SASL mechanism " + mechanism);
            }
            out.authenticationSasl(false, exchange.first(utf8(initial)));
            out.flush();
            ClientMessages.Message last = password(in);
            if (last == null) {
                return false;
            }
            String proof = exchange.last(utf8(last.rest()));
            if (proof == null) {
                throw wrongPassword(user);
            }
            out.authenticationSasl(true, proof);
            return true;
        } catch (ScramExchange.MalformedException malformed) {
            throw new SqlException(
                    "08P01", "malformed SCRAM message: " + malformed.getMessage(), malformed);
        }
    }

    private static ClientMessages.@Nullable Message password(ClientMessages in) throws IOException {
        ClientMessages.Message message = in.next();
        if (message != null && message.type() != 'p') {
            throw ClientMessages.malformed("expected a password, not " + message.type());
        }
        return message;
    }

    private static String utf8(byte[] bytes) {
        return ClientMessages.utf8(ByteBuffer.wrap(bytes));
    }
}
