package petrichor.services.mail;

import java.util.List;

/** Hands mails to a mail server. Thread-safe; blocks. */
public interface MailTransport {
    Outcome send(StoredMail.Envelope envelope, byte[] content);

    /** What the server said. */
    sealed interface Outcome {
        /**
         * @param refused recipients that the server does not know
         */
        record Sent(List<String> refused) implements Outcome {
            public Sent {
                refused = List.copyOf(refused);
            }
        }

        /** A later attempt may succeed. */
        record Deferred(String reason) implements Outcome {}

        /** No attempt will succeed. */
        record Rejected(String reason) implements Outcome {}
    }
}
