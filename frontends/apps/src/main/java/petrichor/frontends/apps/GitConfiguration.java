package petrichor.frontends.apps;

import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.storage.file.FileBasedConfig;
import org.eclipse.jgit.util.FS;
import org.eclipse.jgit.util.SystemReader;
import org.jspecify.annotations.Nullable;

/**
 * Keeps JGit, which finds these files itself, from reading and writing the configuration of Git for
 * the server's user and machine. Thread-safe.
 */
final class GitConfiguration {
    private GitConfiguration() {}

    static synchronized void ignoreThatOfTheUser() {
        SystemReader current = SystemReader.getInstance();
        if (!(current instanceof WithoutFiles)) {
            SystemReader.setInstance(new WithoutFiles(current));
        }
    }

    private static final class WithoutFiles extends SystemReader.Delegate {
        WithoutFiles(SystemReader machine) {
            super(machine);
        }

        @Override
        public FileBasedConfig openUserConfig(@Nullable Config parent, FS files) {
            return new Empty(parent, files);
        }

        @Override
        public FileBasedConfig openSystemConfig(@Nullable Config parent, FS files) {
            return new Empty(parent, files);
        }

        @Override
        public FileBasedConfig openJGitConfig(@Nullable Config parent, FS files) {
            return new Empty(parent, files);
        }
    }

    private static final class Empty extends FileBasedConfig {
        Empty(@Nullable Config parent, FS files) {
            super(parent, null, files);
        }

        @Override
        public void load() {}

        @Override
        public void save() {}

        @Override
        public boolean isOutdated() {
            return false;
        }
    }
}
