package petrichor.jobs.channels;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.List;
import java.util.function.Function;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Authenticates the two ends of a new connection. Both sides prove that they hold the token, by a
 * keyed digest over fresh nonces of both, and the caller sends the address at which it is reachable
 * itself, so that both know which two processes the connection joins.
 *
 * <pre>
 * caller:  "PTCH" version nonce(16) length(1) address
 * called:  nonce(16) proof(32)
 * caller:  proof(32)
 * called:  verdict(1)
 * </pre>
 *
 * <p>All fields are fixed-size or at most 255 bytes; the socket's read timeout bounds the time.
 */
final class Handshake {
    private static final int MARK = 0x50544348;
    private static final int VERSION = 2;
    private static final int NONCE_BYTES = 16;
    private static final int ADDRESS_BYTES_MAX = 64;
    private static final byte CALLER = 1;
    private static final byte CALLED = 2;

    /** The called side's decision about the connection. */
    enum Verdict {
        WELCOME(0),
        /** A connection exists already, or is being opened in the other direction. */
        HAVE_ONE(1),
        STRANGER(2),
        FULL(3);

        private static final List<Verdict> ALL = List.of(values());

        private final int code;

        Verdict(int code) {
            this.code = code;
        }
    }

    private final ChannelToken token;
    private final SecureRandom random = new SecureRandom();

    Handshake(ChannelToken token) {
        this.token = token;
    }

    /**
     * Runs the caller's side. A failure means that the other process does not belong to this job.
     */
    Verdict call(Socket socket, String ownAddress) throws IOException {
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        DataInputStream in = new DataInputStream(socket.getInputStream());
        byte[] nonce = nonce();
        byte[] address = ownAddress.getBytes(US_ASCII);
        ByteBuffer hello = ByteBuffer.allocate(4 + 1 + NONCE_BYTES + 1 + address.length);
        hello.putInt(MARK).put((byte) VERSION).put(nonce);
        hello.put((byte) address.length).put(address);
        out.write(hello.array());
        byte[] otherNonce = in.readNBytes(NONCE_BYTES);
        byte[] otherProof = in.readNBytes(ChannelToken.PROOF_BYTES);
        if (!MessageDigest.isEqual(otherProof, proof(CALLED, nonce, otherNonce, address))) {
            throw PetrichorException.of(
                    ErrorCode.UNAUTHENTICATED,
                    "the process at {address} does not belong to this job: token mismatch",
                    "address",
                    socket.getRemoteSocketAddress());
        }
        out.write(proof(CALLER, nonce, otherNonce, address));
        int verdict = in.read();
        if (verdict < 0 || verdict >= Verdict.ALL.size()) {
            throw new IOException("the connection was closed instead of accepted");
        }
        return Verdict.ALL.get(verdict);
    }

    /**
     * Runs the called side.
     *
     * @param decide maps the caller's address, once authenticated, to the answer
     * @return the caller's address if it was accepted, else null
     */
    @org.jspecify.annotations.Nullable
    String answer(Socket socket, Function<String, Verdict> decide) throws IOException {
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        DataInputStream in = new DataInputStream(socket.getInputStream());
        if (in.readInt() != MARK || in.readUnsignedByte() != VERSION) {
            throw new IOException("the caller does not use this protocol");
        }
        byte[] otherNonce = in.readNBytes(NONCE_BYTES);
        int length = in.readUnsignedByte();
        if (length == 0 || length > ADDRESS_BYTES_MAX) {
            throw new IOException("the caller's address has " + length + " characters");
        }
        byte[] address = in.readNBytes(length);
        byte[] nonce = nonce();
        ByteBuffer reply = ByteBuffer.allocate(NONCE_BYTES + ChannelToken.PROOF_BYTES);
        reply.put(nonce).put(proof(CALLED, otherNonce, nonce, address));
        out.write(reply.array());
        byte[] otherProof = in.readNBytes(ChannelToken.PROOF_BYTES);
        String caller = new String(address, US_ASCII);
        Verdict verdict =
                MessageDigest.isEqual(otherProof, proof(CALLER, otherNonce, nonce, address))
                        ? decide.apply(caller)
                        : Verdict.STRANGER;
        out.write(verdict.code);
        return verdict == Verdict.WELCOME ? caller : null;
    }

    private byte[] proof(byte role, byte[] callersNonce, byte[] calledNonce, byte[] address) {
        ByteBuffer all =
                ByteBuffer.allocate(1 + callersNonce.length + calledNonce.length + address.length);
        all.put(role).put(callersNonce).put(calledNonce).put(address);
        return token.proof(all.array());
    }

    private byte[] nonce() {
        byte[] nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        return nonce;
    }
}
