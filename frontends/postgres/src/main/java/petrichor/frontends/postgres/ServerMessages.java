package petrichor.frontends.postgres;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.sql.ResultColumn;
import petrichor.sql.SqlException;
import petrichor.sql.TransactionStatus;

/**
 * Writes the server's messages to a buffer, which is sent when it is full or flushed. Confined to
 * one thread.
 */
final class ServerMessages {
    private static final int FLUSH_BYTES = 64 << 10;

    private final OutputStream out;
    private byte[] buffer = new byte[8 << 10];
    private int size;
    private int start;

    ServerMessages(OutputStream out) {
        this.out = out;
    }

    // ---- messages

    void authenticationOk() {
        begin('R');
        int32(0);
        end();
    }

    void authenticationPassword() {
        begin('R');
        int32(3);
        end();
    }

    void authenticationSasl(String mechanism) {
        begin('R');
        int32(10);
        text(mechanism);
        int8(0);
        end();
    }

    /**
     * @param last whether it ends the exchange
     */
    void authenticationSasl(boolean last, String message) {
        begin('R');
        int32(last ? 12 : 11);
        bytes(message.getBytes(StandardCharsets.UTF_8));
        end();
    }

    void backendKey(int process, int secret) {
        begin('K');
        int32(process);
        int32(secret);
        end();
    }

    void parameter(String name, String value) {
        begin('S');
        text(name);
        text(value);
        end();
    }

    void ready(TransactionStatus status) {
        begin('Z');
        int8(
                switch (status) {
                    case IDLE -> 'I';
                    case ACTIVE -> 'T';
                    case FAILED -> 'E';
                });
        end();
    }

    /** A message without content, such as the confirmation of a parse or a bind. */
    void plain(char type) {
        begin(type);
        end();
    }

    void complete(String tag) {
        begin('C');
        text(tag);
        end();
    }

    void parameterDescription(List<Integer> oids) {
        begin('t');
        int16(oids.size());
        oids.forEach(this::int32);
        end();
    }

    /**
     * @param binary for each column, whether its values are in the binary format
     */
    void rowDescription(List<ResultColumn> columns, boolean[] binary) {
        begin('T');
        int16(columns.size());
        for (int i = 0; i < columns.size(); i++) {
            TypeOid type = TypeOid.of(columns.get(i).type());
            text(columns.get(i).name());
            int32(0);
            int16(0);
            int32(type.oid());
            int16(type.bytes());
            int32(TypeOid.modifier(columns.get(i).type()));
            int16(binary[i] ? 1 : 0);
        }
        end();
    }

    void beginRow(int columns) {
        begin('D');
        int16(columns);
    }

    void value(byte @Nullable [] value) {
        if (value == null) {
            int32(-1);
        } else {
            int32(value.length);
            bytes(value);
        }
    }

    void endRow() {
        end();
    }

    void error(SqlException failure, boolean fatal) {
        response('E', fatal ? "FATAL" : "ERROR", failure);
    }

    void notice(SqlException notice) {
        response('N', "WARNING", notice);
    }

    private void response(char type, String severity, SqlException failure) {
        begin(type);
        field('S', severity);
        field('V', severity);
        field('C', failure.state());
        field('M', String.valueOf(failure.getMessage()));
        String hint = failure.hint();
        if (hint != null) {
            field('H', hint);
        }
        if (failure.position() > 0) {
            field('P', String.valueOf(failure.position()));
        }
        int8(0);
        end();
    }

    private void field(char name, String value) {
        int8(name);
        text(value);
    }

    void copyResponse(char type, boolean binary, int columns) {
        begin(type);
        int8(binary ? 1 : 0);
        int16(columns);
        for (int i = 0; i < columns; i++) {
            int16(binary ? 1 : 0);
        }
        end();
    }

    void copyData(byte[] data, int length) {
        begin('d');
        reserve(length);
        System.arraycopy(data, 0, buffer, size, length);
        size += length;
        end();
    }

    void protocolVersion(int minor, List<String> unknownOptions) {
        begin('v');
        int32(minor);
        int32(unknownOptions.size());
        unknownOptions.forEach(this::text);
        end();
    }

    /** The answer to a request for TLS. */
    void single(char answer) {
        int8(answer);
    }

    void flush() {
        try {
            out.write(buffer, 0, size);
            out.flush();
            size = 0;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    // ---- encoding

    private void begin(char type) {
        int8(type);
        start = size;
        int32(0);
    }

    private void end() {
        int length = size - start;
        buffer[start] = (byte) (length >>> 24);
        buffer[start + 1] = (byte) (length >>> 16);
        buffer[start + 2] = (byte) (length >>> 8);
        buffer[start + 3] = (byte) length;
        if (size >= FLUSH_BYTES) {
            flush();
            if (buffer.length > 4 * FLUSH_BYTES) {
                buffer = new byte[FLUSH_BYTES];
            }
        }
    }

    private void reserve(int bytes) {
        if (buffer.length - size < bytes) {
            buffer = Arrays.copyOf(buffer, Math.max(2 * buffer.length, size + bytes));
        }
    }

    private void int8(int value) {
        reserve(1);
        buffer[size++] = (byte) value;
    }

    private void int16(int value) {
        int8(value >>> 8);
        int8(value);
    }

    private void int32(int value) {
        int16(value >>> 16);
        int16(value);
    }

    private void bytes(byte[] bytes) {
        reserve(bytes.length);
        System.arraycopy(bytes, 0, buffer, size, bytes.length);
        size += bytes.length;
    }

    private void text(String text) {
        bytes(text.replace('\0', '?').getBytes(StandardCharsets.UTF_8));
        int8(0);
    }
}
