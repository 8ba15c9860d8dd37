package petrichor.services.users;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import petrichor.base.ErrorCode;
import petrichor.base.OrderedWriter;
import petrichor.base.PetrichorException;

/** Keys and values of rows of type {@code U}. */
final class AccountRows {
    private static final int TYPE = 'U';
    private static final int ACCOUNT = 'a';
    private static final int KEY = 'k';
    private static final int ENDED = 'e';
    private static final int VERSION = 1;

    private AccountRows() {}

    static byte[] accounts() {
        return new OrderedWriter().put(TYPE).put(ACCOUNT).toBytes();
    }

    static byte[] account(String email) {
        return new OrderedWriter().put(TYPE).put(ACCOUNT).putString(email).toBytes();
    }

    /** The key with which sessions are signed. */
    static byte[] signingKey() {
        return new OrderedWriter().put(TYPE).put(KEY).toBytes();
    }

    static byte[] endedSessions() {
        return new OrderedWriter().put(TYPE).put(ENDED).toBytes();
    }

    /** Ordered by the time at which the session would have expired. */
    static byte[] endedSession(long expiresMicros, byte[] id) {
        return new OrderedWriter()
                .put(TYPE)
                .put(ENDED)
                .putLong(expiresMicros)
                .putString(id)
                .toBytes();
    }

    static byte[] endedUntil(long micros) {
        return new OrderedWriter().put(TYPE).put(ENDED).putLong(micros).toBytes();
    }

    static byte[] encode(Account account) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(VERSION);
            out.writeUTF(account.email());
            out.writeUTF(account.id());
            out.writeUTF(account.password().map(PasswordHash::text).orElse(""));
            out.writeBoolean(account.roles().cloudAdmin());
            out.writeInt(account.roles().adminOf().size());
            for (String project : account.roles().adminOf().stream().sorted().toList()) {
                out.writeUTF(project);
            }
            out.writeLong(account.generation());
        } catch (IOException e) {
            throw new IllegalStateException("writing to memory failed", e);
        }
        return bytes.toByteArray();
    }

    static Account decode(byte[] row) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(row))) {
            if (in.readByte() != VERSION) {
                throw damaged();
            }
            String email = in.readUTF();
            String id = in.readUTF();
            String password = in.readUTF();
            boolean cloudAdmin = in.readBoolean();
            Set<String> projects = new HashSet<>();
            for (int rest = in.readInt(); rest > 0; rest--) {
                projects.add(in.readUTF());
            }
            return new Account(
                    email,
                    id,
                    password.isEmpty() ? Optional.empty() : Optional.of(new PasswordHash(password)),
                    new Account.Roles(cloudAdmin, projects),
                    in.readLong());
        } catch (IOException | IllegalArgumentException e) {
            throw damaged();
        }
    }

    private static PetrichorException damaged() {
        return PetrichorException.of(
                ErrorCode.INTERNAL, "a stored account is damaged; restore it from a backup");
    }
}
