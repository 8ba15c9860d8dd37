package petrichor.server;

import java.util.Arrays;
import java.util.Random;

/** Damages requests at random. */
final class Damage {
    private final Random random;

    Damage(Random random) {
        this.random = random;
    }

    /** Applies one to four small mutations. */
    byte[] to(byte[] whole) {
        byte[] bytes = whole.clone();
        for (int injuries = 1 + random.nextInt(4); injuries > 0 && bytes.length > 1; injuries--) {
            int at = random.nextInt(bytes.length);
            int length = 1 + random.nextInt(Math.min(16, bytes.length - at));
            bytes =
                    switch (random.nextInt(6)) {
                        case 0 -> flipped(bytes, at, 1 << random.nextInt(8));
                        case 1 -> flipped(bytes, at, random.nextInt(256));
                        case 2 -> Arrays.copyOf(bytes, at);
                        case 3 -> spliced(bytes, at, at + length, new byte[0]);
                        case 4 ->
                                spliced(bytes, at, at, Arrays.copyOfRange(bytes, at, at + length));
                        default -> spliced(bytes, at, at, noise(length));
                    };
        }
        return bytes;
    }

    private static byte[] flipped(byte[] bytes, int at, int bits) {
        byte[] other = bytes.clone();
        other[at] ^= (byte) bits;
        return other;
    }

    private static byte[] spliced(byte[] bytes, int from, int to, byte[] with) {
        byte[] other = Arrays.copyOf(bytes, from + with.length + bytes.length - to);
        System.arraycopy(with, 0, other, from, with.length);
        System.arraycopy(bytes, to, other, from + with.length, bytes.length - to);
        return other;
    }

    private byte[] noise(int length) {
        byte[] noise = new byte[length];
        random.nextBytes(noise);
        return noise;
    }
}
