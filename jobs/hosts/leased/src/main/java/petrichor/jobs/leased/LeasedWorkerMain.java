package petrichor.jobs.leased;

import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import petrichor.cloud.local.LocalCloud;
import petrichor.jobs.engine.workers.WorkerMain;

/**
 * The program of a machine: it registers with the process that leases machines, waits until it is
 * needed, works for one stage and ends. The machine then starts the next one.
 */
public final class LeasedWorkerMain {
    /** The worker sends this when it is called, and nothing before. */
    static final int READY = 1;

    private static final int NOT_NEEDED = 3;

    private LeasedWorkerMain() {}

    /**
     * @param arguments the file with the registration address, and the machine's folder
     */
    public static void main(String[] arguments) throws IOException {
        Coordinator coordinator = Coordinator.read(Path.of(arguments[0]));
        // Output of user code goes to the machine's log.
        System.setOut(System.err);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), coordinator.port())) {
            socket.setTcpNoDelay(true);
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            out.writeUTF(coordinator.token());
            out.writeUTF(String.valueOf(System.getenv(LocalCloud.MARK)));
            out.writeLong(ProcessHandle.current().pid());
            out.flush();
            Files.write(
                    Path.of(arguments[1]).resolve(LocalMachines.GREETED),
                    "yes\n".getBytes(StandardCharsets.UTF_8));
            InputStream in = socket.getInputStream();
            if (in.read() < 0) {
                Runtime.getRuntime().halt(NOT_NEEDED);
            }
            out.write(READY);
            out.flush();
            WorkerMain.serve(in, socket.getOutputStream());
        }
    }
}
