package petrichor.services.mail;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * A mail without its content, which is stored in chunks beside it.
 *
 * @param id unique in its project, ascending with time
 * @param acceptedMicros since 1970
 * @param bytes of the content
 * @param state and what is known about attempts to send it
 */
public record StoredMail(
        long id,
        long acceptedMicros,
        Envelope envelope,
        String subject,
        long bytes,
        Progress state) {
    private static final int VERSION = 1;

    /**
     * @param sender address only
     * @param recipients addresses only, with blind copies
     */
    public record Envelope(String sender, List<String> recipients) {
        public Envelope {
            recipients = List.copyOf(recipients);
        }
    }

    /**
     * @param attempts to send it
     * @param dueMicros when the next attempt is due, since 1970
     * @param note the last failure; empty if none
     */
    public record Progress(State state, int attempts, long dueMicros, String note) {}

    /** The life of a mail; one that was sent is deleted. */
    public enum State {
        QUEUED('q'),
        /** For inspection: no SMTP server is configured. */
        KEPT('k'),
        /** For inspection: refused by the server, or too often not accepted. */
        FAILED('f');

        private final byte code;

        State(char code) {
            this.code = (byte) code;
        }

        static State of(byte code) {
            for (State state : values()) {
                if (state.code == code) {
                    return state;
                }
            }
            throw damaged();
        }
    }

    StoredMail with(Progress next) {
        return new StoredMail(id, acceptedMicros, envelope, subject, bytes, next);
    }

    boolean is(State asked) {
        return state.state() == asked;
    }

    byte[] toBytes() {
        ByteArrayOutputStream bytesOut = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytesOut)) {
            out.writeByte(VERSION);
            out.writeLong(id);
            out.writeLong(acceptedMicros);
            out.writeUTF(envelope.sender());
            out.writeInt(envelope.recipients().size());
            for (String recipient : envelope.recipients()) {
                out.writeUTF(recipient);
            }
            out.writeUTF(subject);
            out.writeLong(bytes);
            out.writeByte(state.state().code);
            out.writeInt(state.attempts());
            out.writeLong(state.dueMicros());
            out.writeUTF(state.note());
        } catch (IOException e) {
            throw new IllegalStateException("writing to memory failed", e);
        }
        return bytesOut.toByteArray();
    }

    static StoredMail parse(byte[] row) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(row))) {
            if (in.readByte() != VERSION) {
                throw damaged();
            }
            long id = in.readLong();
            long accepted = in.readLong();
            String sender = in.readUTF();
            int count = in.readInt();
            if (count > MailLimits.RECIPIENTS_MAX) {
                throw damaged();
            }
            List<String> recipients = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                recipients.add(in.readUTF());
            }
            return new StoredMail(
                    id,
                    accepted,
                    new Envelope(sender, recipients),
                    in.readUTF(),
                    in.readLong(),
                    new Progress(
                            State.of(in.readByte()), in.readInt(), in.readLong(), in.readUTF()));
        } catch (IOException e) {
            throw damaged();
        }
    }

    private static PetrichorException damaged() {
        return PetrichorException.of(
                ErrorCode.INTERNAL, "a stored mail is damaged; restore it from a backup");
    }
}
