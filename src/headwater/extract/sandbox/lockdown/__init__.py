"""What a sandbox gives up before it reads untrusted bytes: privileges, files, system calls, resources."""
