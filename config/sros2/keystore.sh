#!/usr/bin/env bash
# Makes a SROS 2 keystore by openssl, with an enclave for each file in permissions: bash keystore.sh FOLDER
# Keys are readable by their owner alone. Copy to each machine only the enclaves that it runs, never the folder private.
set -euo pipefail

if [ $# -ne 1 ] || [ -e "$1" ]; then
  echo "usage: bash $0 FOLDER, which does not exist yet" >&2
  exit 1
fi
if ! command -v openssl > /dev/null; then
  echo "openssl was not found. Install it: sudo apt install openssl" >&2
  exit 1
fi
here="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)"
umask 077
mkdir -p "$1/private" "$1/public" "$1/enclaves"
cd "$1"

# Creates the key $1 of an elliptic curve and, with the further arguments of openssl req, a request or certificate.
make_key() {
  local key="$1"
  shift
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout "$key" -sha256 "$@" 2> /dev/null
}

# Signs the XML file $1 as $2.
sign() {
  openssl smime -sign -text -in "$1" -out "$2" -signer public/ca.cert.pem -inkey private/ca.key.pem
}

make_key private/ca.key.pem -x509 -days 3650 -subj /CN=urdf_ik_ca -out public/ca.cert.pem
sign "$here/governance.xml" enclaves/governance.p7s
for permissions in "$here"/permissions/*.xml; do
  name="$(basename "$permissions" .xml)"
  enclave="enclaves/$name"
  mkdir "$enclave"
  make_key "$enclave/key.pem" -subj "/CN=\\/$name" -out "$enclave/request.pem"
  openssl x509 -req -in "$enclave/request.pem" -days 3650 -sha256 -CA public/ca.cert.pem -CAkey private/ca.key.pem \
    -CAcreateserial -out "$enclave/cert.pem" 2> /dev/null
  rm "$enclave/request.pem"
  sign "$permissions" "$enclave/permissions.p7s"
  cp enclaves/governance.p7s "$enclave/governance.p7s"
  cp public/ca.cert.pem "$enclave/identity_ca.cert.pem"
  cp public/ca.cert.pem "$enclave/permissions_ca.cert.pem"
done
echo "made $PWD/enclaves"
