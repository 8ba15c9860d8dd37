package petrichor.apps.instances.network;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes instructions of eBPF (the kernel's {@code Documentation/bpf/standardization}). Jumps go
 * forward to labels. Not thread-safe.
 */
final class BpfCode {
    static final int BYTES = 8;

    /** Registers: the result, arguments of functions, five that these keep, the stack's end. */
    static final int R0 = 0;

    static final int R1 = 1;
    static final int R2 = 2;
    static final int R3 = 3;
    static final int R4 = 4;
    static final int R5 = 5;
    static final int CONTEXT = 6;
    static final int R7 = 7;
    static final int R8 = 8;
    static final int STACK = 10;

    /** Widths of a load or store. */
    enum Width {
        BYTE(0x10),
        HALF(0x08),
        WORD(0x00);

        final int bits;

        Width(int bits) {
            this.bits = bits;
        }
    }

    /** Functions of the kernel that programs call. */
    enum KernelFunction {
        LOAD_BYTES(26),
        LOOKUP_TCP(84),
        LOOKUP_UDP(85),
        RELEASE(86);

        final int number;

        KernelFunction(int number) {
            this.number = number;
        }
    }

    private static final int LOAD = 0x61;
    private static final int STORE = 0x63;
    private static final int STORE_CONSTANT = 0x62;
    private static final int MOVE = 0xBF;
    private static final int MOVE_CONSTANT = 0xB7;
    private static final int ADD_CONSTANT = 0x07;
    private static final int AND_CONSTANT = 0x57;
    private static final int SHIFT_LEFT = 0x67;
    private static final int JUMP = 0x05;
    private static final int JUMP_IF_NULL = 0x15;
    private static final int JUMP_IF_EQUAL = 0x16;
    private static final int JUMP_IF_OTHER = 0x56;
    private static final int CALL = 0x85;
    private static final int EXIT = 0x95;

    /** A jump to a label whose place is not known yet. */
    private record Jump(int instruction, String label) {}

    private final List<Long> instructions = new ArrayList<>();
    private final Map<String, Integer> labels = new HashMap<>();
    private final List<Jump> jumps = new ArrayList<>();
    private int names;

    private BpfCode add(int code, int target, int source, int offset, int constant) {
        instructions.add(
                (code & 0xFFL)
                        | (long) (target | source << 4) << 8
                        | (offset & 0xFFFFL) << 16
                        | (constant & 0xFFFF_FFFFL) << 32);
        return this;
    }

    /** A label that no other part of the program uses. */
    String unique() {
        return "#" + names++;
    }

    BpfCode label(String name) {
        labels.put(name, instructions.size());
        return this;
    }

    BpfCode load(Width width, int target, int base, int offset) {
        return add(LOAD | width.bits, target, base, offset, 0);
    }

    BpfCode store(Width width, int base, int offset, int source) {
        return add(STORE | width.bits, base, source, offset, 0);
    }

    BpfCode storeConstant(Width width, int base, int offset, int constant) {
        return add(STORE_CONSTANT | width.bits, base, 0, offset, constant);
    }

    BpfCode move(int target, int source) {
        return add(MOVE, target, source, 0, 0);
    }

    /** Sign-extended to 64 bits. */
    BpfCode set(int target, int constant) {
        return add(MOVE_CONSTANT, target, 0, 0, constant);
    }

    BpfCode addConstant(int target, int constant) {
        return add(ADD_CONSTANT, target, 0, 0, constant);
    }

    BpfCode and(int target, int constant) {
        return add(AND_CONSTANT, target, 0, 0, constant);
    }

    BpfCode shiftLeft(int target, int bits) {
        return add(SHIFT_LEFT, target, 0, 0, bits);
    }

    BpfCode jump(String label) {
        return jump(JUMP, 0, 0, label);
    }

    /** Compares 32 bits. */
    BpfCode ifEqual(int register, int constant, String label) {
        return jump(JUMP_IF_EQUAL, register, constant, label);
    }

    /** Compares 32 bits. */
    BpfCode ifOther(int register, int constant, String label) {
        return jump(JUMP_IF_OTHER, register, constant, label);
    }

    /** Compares 64 bits, as the kernel asks for pointers. */
    BpfCode ifNull(int register, String label) {
        return jump(JUMP_IF_NULL, register, 0, label);
    }

    private BpfCode jump(int code, int register, int constant, String label) {
        jumps.add(new Jump(instructions.size(), label));
        return add(code, register, 0, 0, constant);
    }

    BpfCode call(KernelFunction function) {
        return add(CALL, 0, 0, 0, function.number);
    }

    BpfCode exit(int result) {
        return set(R0, result).add(EXIT, 0, 0, 0, 0);
    }

    /** The program for the kernel, in the byte order of the machine. */
    byte[] bytes() {
        ByteBuffer all =
                ByteBuffer.allocate(instructions.size() * BYTES).order(ByteOrder.LITTLE_ENDIAN);
        instructions.forEach(all::putLong);
        for (Jump jump : jumps) {
            Integer place = labels.get(jump.label());
            if (place == null || place <= jump.instruction()) {
                throw new IllegalStateException("no label " + jump.label() + " follows its jump");
            }
            all.putShort(jump.instruction() * BYTES + 2, (short) (place - jump.instruction() - 1));
        }
        return all.array();
    }
}
