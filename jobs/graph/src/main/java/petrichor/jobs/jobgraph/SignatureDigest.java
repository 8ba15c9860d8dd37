package petrichor.jobs.jobgraph;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/** Computes 16 hexadecimal digits from parts of a program. Belongs to one thread. */
public final class SignatureDigest {
    /** 64 bits distinguish a few million tasks. */
    private static final int BYTES = 8;

    private final MessageDigest digest = sha256();

    public SignatureDigest with(Object part) {
        digest.update(serialized(part));
        digest.update((byte) 0);
        return this;
    }

    /** May be called once. */
    public String digits() {
        return HexFormat.of().formatHex(digest.digest(), 0, BYTES);
    }

    /**
     * Serialized user code names the class and method in which the lambda was written, which are
     * the same in every run; its class name in memory is not.
     */
    private static byte[] serialized(Object part) {
        var bytes = new ByteArrayOutputStream();
        try (var out = new Lasting(bytes)) {
            out.writeObject(part);
        } catch (IOException e) {
            // User code that references a non-serializable object still runs in this process; then
            // only its class enters the signature.
            return part.getClass().getName().getBytes(StandardCharsets.UTF_8);
        }
        return bytes.toByteArray();
    }

    /** Writes only the stable part of {@link RunSpecific} objects. */
    private static final class Lasting extends ObjectOutputStream {
        Lasting(OutputStream out) throws IOException {
            super(out);
            enableReplaceObject(true);
        }

        @Override
        protected Object replaceObject(Object part) {
            return part instanceof RunSpecific some ? some.lasting() : part;
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw PetrichorException.of(ErrorCode.INTERNAL, e, "this JDK has no SHA-256");
        }
    }
}
