package petrichor.services.search.lucene;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Base64;
import org.apache.lucene.search.FieldDoc;
import org.apache.lucene.util.BytesRef;
import petrichor.base.PetrichorException;
import petrichor.services.search.model.SearchRequest;

/**
 * A cursor: the sort values of a result, with a version and a fingerprint of the search in front.
 * It needs no state on the server, and stays valid while documents change.
 */
final class CursorCodec {
    private static final int VERSION = 1;

    private final int fingerprint;

    CursorCodec(SearchRequest request) {
        this.fingerprint =
                31 * (31 * request.query().hashCode() + request.sort().hashCode())
                        + request.scorer().name().hashCode();
    }

    String encode(FieldDoc result) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(VERSION);
            out.writeInt(fingerprint);
            out.writeByte(result.fields.length);
            for (Object value : result.fields) {
                write(out, value);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.toByteArray());
    }

    private static void write(DataOutputStream out, Object value) throws IOException {
        switch (value) {
            case null -> out.writeByte('0');
            case BytesRef text -> {
                out.writeByte('t');
                out.writeInt(text.length);
                out.write(text.bytes, text.offset, text.length);
            }
            case Long number -> {
                out.writeByte('l');
                out.writeLong(number);
            }
            case Double number -> {
                out.writeByte('d');
                out.writeDouble(number);
            }
            case Float number -> {
                out.writeByte('f');
                out.writeFloat(number);
            }
            default -> throw new IllegalStateException("a sort value has an unknown type");
        }
    }

    /** INVALID_ARGUMENT if it comes from another search. */
    FieldDoc decode(String cursor, int sortFields) {
        try (DataInputStream in =
                new DataInputStream(
                        new ByteArrayInputStream(Base64.getUrlDecoder().decode(cursor)))) {
            if (in.readByte() != VERSION
                    || in.readInt() != fingerprint
                    || in.readByte() != sortFields) {
                throw foreign();
            }
            Object[] values = new Object[sortFields];
            for (int i = 0; i < sortFields; i++) {
                values[i] = read(in);
            }
            return new FieldDoc(Integer.MAX_VALUE, Float.NaN, values);
        } catch (IOException | IllegalArgumentException _) {
            throw foreign();
        }
    }

    private static Object read(DataInputStream in) throws IOException {
        return switch (in.readByte()) {
            case 't' -> {
                int length = in.readInt();
                if (length < 0 || length > in.available()) {
                    throw new IOException("invalid length");
                }
                yield new BytesRef(in.readNBytes(length));
            }
            case 'l' -> in.readLong();
            case 'd' -> in.readDouble();
            case 'f' -> in.readFloat();
            default -> throw new IOException("unknown type");
        };
    }

    private static PetrichorException foreign() {
        return PetrichorException.invalid(
                "The cursor does not belong to this query; pass it with the query, sort keys and"
                        + " scorer of the search that returned it.");
    }
}
